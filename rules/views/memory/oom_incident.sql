-- table: Messages that tell of one failure: of one framework's device, within ten minutes where
-- there are times. The class is that of most ranks, on a tie the first one's; the numbers are those
-- of the first rank of that class. What the program outlived stands apart.
with
    timed as (
        select
            *,
            2 * coalesce(
                sum(new::int) over (partition by survived order by time, file_id, line_no), 0
            )
            + survived::int as bout
        from
            (
                select
                    *,
                    coalesce(
                        time
                        - lag(time) over (partition by survived order by time, file_id, line_no)
                        > interval 10 minute,
                        false
                    ) as new
                from oom_verdict
                where class is not null
            )
    ),
    -- the same sentence printed again by a wrapper, a launcher or another logger
    fresh as (
        select
            *,
            row_number() over (
                partition by
                    bout,
                    device,
                    framework in ('jax', 'tensorflow'),
                    rank,
                    case when kind = 'bfc' then null else gpu_index end,
                    case
                        when kind = 'bfc' then round(requested_bytes / 1048576) else requested_bytes
                    end,
                    total_bytes,
                    free_bytes,
                    allocated_bytes,
                    reservable_bytes,
                    case when framework = 'nccl' or rank is not null then host end
                order by time, file_id, line_no
            ) as copy
        from timed
    ),
    -- a message without numbers, or of another layer, says nothing where one with numbers stands
    weighed as (
        select
            *,
            case
                when
                    because = 'no_numbers'
                    or kind in ('refused', 'pool_limit')
                    and requested_bytes is null
                then 3
                when kind in ('refused', 'pool_limit')
                then 2
                when kind = 'snapshot' and class = 'fragmentation'
                then 0
                when
                    kind in ('tensor', 'snapshot')
                    or framework in ('nccl', 'jax')
                    and limit_bytes is null
                then 2
                else 1
            end as tier,
        from fresh
    ),
    ranked as (
        select
            * exclude (largest_free_bytes, grade),
            min(tier) over (partition by bout) as best_tier,
            -- what a snapshot proves holds for the message of the same failure
            coalesce(
                largest_free_bytes,
                max(case when kind = 'snapshot' then largest_free_bytes end) over (
                    partition by bout
                )
            ) as largest_free_bytes,
            case
                when
                    class = 'fragmentation'
                    and bool_or(
                        kind = 'snapshot' and class = 'fragmentation' and grade = 'definite'
                    ) over (partition by bout)
                then 'definite'
                else grade
            end as grade
        from weighed
    ),
    votes as (
        select
            bout,
            class,
            count(*) filter (tier = best_tier and copy = 1) as votes,
            row_number() over (
                partition by bout
                order by
                    count(*) filter (tier = best_tier and copy = 1) desc,
                    min((coalesce(time, timestamp '1970-01-01'), file_id, line_no)) filter (
                        tier = best_tier
                    )
            ) as place
        from ranked
        group by bout, class
    ),
    lead as (
        select
            w.*,
            row_number() over (
                partition by w.bout
                order by
                    case when w.tier = 0 then 1.5 else w.tier end,
                    w.requested_bytes is null,
                    coalesce(w.time, timestamp '1970-01-01'),
                    w.file_id,
                    w.line_no,
                    w.gpu_index
            ) as nth
        from ranked w
        join votes v on v.bout = w.bout and v.place = 1 and v.class = w.class
    ),
    told as (
        select
            bout,
            list_sort(list(distinct rank) filter (rank is not null)) as ranks,
            list_sort(list(distinct host) filter (host is not null)) as hosts,
            list_sort(list(distinct gpu_index::varchar) filter (gpu_index is not null)) as gpus,
            min(time) as at,
            max(time) as until,
            greatest(
                1,
                count(*) filter (
                    copy = 1
                    and coalesce(kind, '') not in ('tensor', 'snapshot')
                    and (kind is distinct from 'nccl' or requested_bytes is not null)
                )
            ) as failures,
            count(*) as messages,
            list(line_at(file_id, line_no) order by file_id, line_no)[:40] as lines
        from ranked
        group by bout
    ),
    settings as (
        select
            bool_or(value ilike '%expandable_segments:true%') as expandable,
            bool_or(value ilike '%max_split_size_mb%') as max_split
        from setting
        where name like 'PYTORCH%ALLOC_CONF'
    ),
    named as (
        select
            l.*,
            t.* exclude (bout),
            coalesce(c.expandable, false) as expandable,
            coalesce(c.max_split, false) as max_split,
            coalesce(named_bytes, foreign_bytes) as foreign_shown,
            f.foreign_rank,
            coalesce(
                ' on GPU ' || l.gpu_index,
                case when l.location is not null then ' at ' || l.location else '' end
            ) as place,
            case
                coalesce(len(t.ranks), 0)
                when 0
                then ''
                when 1
                then 'rank ' || t.ranks[1] || ': '
                else 'ranks ' || ranges(t.ranks) || ': '
            end as who,
            b.size_bytes as largest_allocation_bytes,
            b.op as largest_allocation_op,
            b.source || coalesce(':' || b.source_line, '') as largest_allocation_source,
            case
                l.device
                when 'rocm'
                then 'HIP'
                when 'xpu'
                then 'XPU'
                when 'tpu'
                then 'TPU'
                when 'mps'
                then 'MPS'
                when 'npu'
                then 'NPU'
                when 'hpu'
                then 'HPU'
                when 'mlu'
                then 'MLU'
                when 'neuron'
                then 'Neuron'
                when 'vulkan'
                then 'Vulkan'
                else case when l.device is null then l.framework else 'CUDA' end
            end as word
        from lead l
        join told t using (bout)
        cross join settings c
        left join
            lateral(
                select min(i.rank) as foreign_rank
                from identity i
                where
                    list_contains(list_transform(l.foreign_processes, lambda p:p.pid), i.pid)
                    and i.rank is distinct from l.rank
                    and (i.host is null or l.host is null or i.host = l.host)
            ) f
            on true
        -- the largest piece in XLA's list below the failure, and the operation named right below
        -- its size
        left join
            lateral(
                select a.size_bytes, o.op, o.source, o.source_line
                from xla_allocation a
                left join
                    xla_allocation o
                    on o.file_id = a.file_id
                    and o.breakdown_line = a.breakdown_line
                    and o.op is not null
                    and o.line_no between a.line_no + 1 and a.line_no + 3
                where
                    a.file_id = l.file_id
                    and a.size_bytes is not null
                    and a.line_no between l.line_no and l.line_no + 400
                    and framework in ('xla', 'jax')
                order by a.size_bytes desc, a.line_no, o.line_no
                limit 1
            ) b
            on true
        where l.nth = 1
    )
select
    class,
    grade,
    because,
    who
    || word
    || ' out of memory'
    || place
    || coalesce(
        ': '
        || known_bytes(requested_bytes)
        || case when kind = 'compile' then ' needed' else ' asked for' end,
        ''
    )
    || case
        class
        when 'graph_capture'
        then
            case
                because
                when 'during_capture'
                then
                    ' while a CUDA graph was being captured'
                    || coalesce(' (' || capture_function || ')', '')
                    || coalesce(
                        ', '
                        || known_bytes(free_bytes)
                        || ' of '
                        || bytes_text(total_bytes)
                        || ' free',
                        ''
                    )
                when 'graph_pools_hold_it'
                then
                    ', while the pools of CUDA graphs hold '
                    || bytes_text(private_pool_bytes)
                    || ' of '
                    || bytes_text(total_bytes)
                    || ' that nothing else may use'
                else
                    ', while '
                    || bytes_text(unallocated_bytes)
                    || ' of '
                    || bytes_text(total_bytes)
                    || ' sit unused in a cache that CUDA graphs pin'
            end
        when 'foreign_process'
        then
            case
                because
                when 'card_in_use_at_start'
                then
                    ', '
                    || bytes_text(free_bytes)
                    || ' of '
                    || bytes_text(total_bytes)
                    || ' free at start: the card was in use already'
                when 'other_process_named'
                then
                    ', while process '
                    || foreign_processes[1].pid
                    || coalesce(' (rank ' || foreign_rank || ' of this job)', '')
                    || case
                        when coalesce(len(foreign_processes), 0) > 1
                        then ' and ' || (len(foreign_processes) - 1) || ' more hold '
                        else ' holds '
                    end
                    || bytes_text(foreign_shown)
                    || ' of '
                    || bytes_text(total_bytes)
                else
                    ', while '
                    || bytes_text(foreign_bytes)
                    || ' of '
                    || bytes_text(total_bytes)
                    || ' are held by something else than this process''s PyTorch'
            end
        when 'fragmentation'
        then
            case
                because
                when 'free_but_not_in_one_piece'
                then
                    ', '
                    || bytes_text(free_bytes)
                    || ' free'
                    || coalesce(
                        ', but only ' || known_bytes(reservable_bytes) || ' in one piece',
                        ', but not in one piece'
                    )
                when 'fits_without_fragmentation'
                then
                    ' of '
                    || bytes_text(limit_bytes)
                    || ', of which '
                    || bytes_text(fragmentation_bytes)
                    || ' are lost to fragmentation'
                when 'largest_free_piece_too_small'
                then
                    ', ' || coalesce(
                        known_bytes(limit_bytes - allocated_bytes) || ' free in the pool',
                        bytes_text(stranded_bytes)
                        || ' stranded between live tensors and '
                        || bytes_text(free_bytes)
                        || ' free'
                    )
                    || ', but the largest piece has '
                    || bytes_text(largest_free_bytes)
                when 'refused_although_free'
                then
                    ' and refused although '
                    || bytes_text(free_bytes)
                    || ' of '
                    || bytes_text(total_bytes)
                    || ' were free'
                else
                    ', '
                    || bytes_text(unallocated_bytes)
                    || ' reserved but unallocated in pieces, '
                    || bytes_text(free_bytes)
                    || ' free of '
                    || bytes_text(total_bytes)
                    || case
                        when largest_free_bytes < requested_bytes
                        then '; the largest free piece has ' || bytes_text(largest_free_bytes)
                        else ''
                    end
            end
        else
            case
                because
                when 'no_numbers'
                then ' (the message tells no more: which process holds what is not known)'
                when 'nothing_left_for_nccl'
                then ' by NCCL: nothing was left on the card for its buffers'
                when 'no_cache_blocks'
                then ': after weights and activations nothing is left for the KV cache'
                when 'no_static_memory'
                then
                    ': the share of the card that SGLang sets aside holds the weights, but nothing is left in it for the KV cache'
                when 'token_pool_full'
                then ': SGLang''s pool of KV cache is full, the card itself need not be'
                when 'sequence_too_long'
                then
                    ': the KV cache cannot hold one sequence of ' || coalesce(
                        (select any_value(max_tokens)::varchar from vllm_oom) || ' tokens',
                        'the longest kind'
                    )
                when 'token_budget'
                then
                    ': the tokens of a batch that the server is set to do not fit beside the weights'
                when 'pool_limit'
                then
                    coalesce(', ' || known_bytes(allocated_bytes) || ' in use', '')
                    || coalesce(', ' || known_bytes(free_bytes) || ' left', '')
                    || case
                        device
                        when 'vulkan'
                        then ': more than the device gives in one buffer'
                        else
                            ': the pool it comes from may not grow'
                            || coalesce(' over ' || known_bytes(limit_bytes), ' further')
                    end
                when 'process_limit'
                then
                    case
                        when limit_bytes is null
                        then ' and refused by the limit set for the process'
                        else ', the process may use ' || bytes_text(limit_bytes)
                    end
                when 'refused_below_the_total'
                then
                    ' and refused, though this process holds only '
                    || bytes_text(coalesce(reserved_bytes, allocated_bytes))
                    || ' of '
                    || bytes_text(total_bytes)
                when 'request_exceeds_card'
                then ', the whole card has ' || bytes_text(total_bytes)
                when 'program_exceeds_memory'
                then coalesce(' of ' || known_bytes(limit_bytes), '')
                when 'kernel_exceeds_scratch_memory'
                then
                    ' of '
                    || coalesce(known_bytes(limit_bytes) || ' of ', '')
                    || memory_space
                    || ': a kernel''s scratch memory, not the size of the model'
                else
                    coalesce(
                        ', '
                        || known_bytes(free_bytes)
                        || ' free'
                        || coalesce(' of ' || known_bytes(total_bytes), ''),
                        coalesce(' of a pool of ' || known_bytes(limit_bytes), '')
                    )
                    || coalesce(', ' || known_bytes(allocated_bytes) || ' in use', '')
                    || case
                        when self_bytes - reserved_bytes > 3221225472
                        then
                            ' by PyTorch and '
                            || bytes_text(self_bytes - reserved_bytes)
                            || ' by something else in this process'
                        else ''
                    end
            end
    end
    || case
        when failures > 1 and coalesce(len(ranks), 0) <= 1
        then ' (' || failures || ' failures)'
        else ''
    end
    || case when survived then '; the program caught it and went on' else '' end as summary,
    case when survived then 'info' end as severity,
    case
        when survived
        then
            'Nothing, if the batch was skipped or made smaller on purpose. A batch size that never fails is faster: start with the one that was found.'
        else
            case
                class
                when 'graph_capture'
                then
                    'Leave more free memory before the capture: capture fewer shapes or layers, let the graphs share one pool, lower the share of the card that is given to the KV cache, or capture before other large allocations. '
                    || 'Run once without CUDA graphs to confirm. Cached memory cannot be given back while a capture is under way'
                    || case
                        when private_pool_bytes > 0
                        then '; the graphs hold ' || bytes_text(private_pool_bytes) || ' now.'
                        else '.'
                    end
                when 'foreign_process'
                then
                    case
                        when foreign_rank is not null
                        then
                            'Two ranks use the same card: set the device from LOCAL_RANK before the first CUDA call, and look at CUDA_VISIBLE_DEVICES of rank '
                            || foreign_rank
                            || '.'
                        when len(foreign_processes) > 0
                        then
                            'Find out who process ' || array_to_string(
                                list_transform(foreign_processes, lambda p:p.pid), ', '
                            )
                            || ' is (host pid: ps -fp, nvidia-smi)'
                            || case
                                when self_unsure
                                then
                                    '; it may also be this process and '
                                    || self_pid
                                    || ' the other one'
                                else ''
                            end
                            || ': a rank that outlived the last run - kill it; a parent that keeps tensors - free them or start the child from a clean process; another rank of this job - set the device from LOCAL_RANK.'
                        else
                            'Run nvidia-smi (or rocm-smi) on the host' || case
                                when gpu_index is not null then ' for GPU ' || gpu_index else ''
                            end
                            || ': kill what is left of an earlier run, and see that no two ranks share the card. If no other process is there, a second library of this process (XLA, TensorFlow, RAPIDS, NCCL buffers) holds the memory.'
                    end
                when 'fragmentation'
                then
                    case
                        when device = 'tpu'
                        then
                            'Free or donate large buffers before the program is loaded, keep fewer programs alive, and use constant shapes, so that memory stays in one piece. '
                            || coalesce(
                                'The largest piece at the bottom was '
                                || known_bytes(reservable_bytes)
                                || '.',
                                ''
                            )
                        when kind = 'bfc'
                        then
                            'Use constant shapes, raise the pool (XLA_PYTHON_CLIENT_MEM_FRACTION, per_process_gpu_memory_fraction), or set TF_GPU_ALLOCATOR=cuda_malloc_async.'
                        when because = 'refused_although_free'
                        then
                            'Memory was free when the request failed. Look for a limit outside the program: MIG slice, MPS or vGPU limit, another process that just ended, a driver in a bad state. Then treat it as fragmentation.'
                        when expandable
                        then
                            'Expandable segments are on already: use constant or bucketed shapes, avoid tensors that live across phases, call torch.cuda.empty_cache() at phase changes, and look for blocks held by side streams (record_stream) or graph pools.'
                        else
                            'Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True' || case
                                when max_split
                                then ''
                                else ' (or max_split_size_mb where that is not supported)'
                            end
                            || ', use constant or bucketed shapes, and call torch.cuda.empty_cache() at phase changes.'
                            || case
                                when exists (from extent)
                                then ' logsift plot RUN --extents -o FILE.png draws the segments.'
                                else ''
                            end
                    end
                else
                    case
                        because
                        when 'process_limit'
                        then
                            'Raise the limit (set_per_process_memory_fraction, PYTORCH_MPS_HIGH_WATERMARK_RATIO, TORCH memory fraction) or use less memory'
                            || case
                                when limit_bytes is null
                                then '.'
                                else ': it allows ' || bytes_text(limit_bytes) || '.'
                            end
                        when 'refused_below_the_total'
                        then
                            'The message does not say what was free: look with xpu-smi, nvidia-smi or rocm-smi for other holders of the card, and for a limit on a single allocation (Intel GPUs: 4 GiB unless relaxed limits are set; MIG, WDDM, container limits).'
                        when 'token_budget'
                        then
                            'Lower --max-batch-prefill-tokens, --max-batch-total-tokens and --max-input-tokens, shard the model over more GPUs (--num-shard), or quantise it; see with nvidia-smi that the card was empty at the start.'
                        when 'pool_limit'
                        then
                            'Raise the limit of the pool (' || case
                                framework
                                when 'rmm'
                                then 'maximum_pool_size, --rmm-maximum-pool-size'
                                when 'onnxruntime'
                                then 'gpu_mem_limit'
                                when 'cupy'
                                then 'CUPY_GPU_MEMORY_LIMIT, set_limit()'
                                when 'llama.cpp'
                                then
                                    'GGML_VK_FORCE_MAX_ALLOCATION_SIZE; smaller -ub, -b and -c ask for smaller buffers'
                                else 'its setting'
                            end
                            || '), or let less memory be held at once: smaller partitions or batches, spilling.'
                        when 'nothing_left_for_nccl'
                        then
                            'Leave memory for NCCL: lower the micro-batch, call torch.cuda.empty_cache() before the communicator is made, create communicators before the cache grows, or lower NCCL_BUFFSIZE and the number of channels.'
                        when 'no_cache_blocks'
                        then
                            'Raise gpu_memory_utilization, shard the model over more GPUs, quantise it, or lower max_num_seqs / max_num_batched_tokens.'
                        when 'no_static_memory'
                        then
                            'Raise --mem-fraction-static (it must hold weights and KV cache), shard the model over more GPUs (--tp), or quantise it; where a larger share fails too, the model is too large for the card. See with nvidia-smi that the card was empty at the start.'
                        when 'token_pool_full'
                        then
                            'Run fewer requests at once (--max-running-requests), shorten --context-length, raise --mem-fraction-static or --schedule-conservativeness.'
                        when 'sequence_too_long'
                        then
                            'Lower max_model_len, raise gpu_memory_utilization, or shard the model over more GPUs.'
                        when 'kernel_exceeds_scratch_memory'
                        then
                            'Use smaller tiles in the kernel (block sizes), or raise the scoped limit of the compiler; batch size and sharding of the model do not matter here.'
                        else
                            case
                                when kind = 'refused' and requested_bytes is null
                                then
                                    'See with nvidia-smi, rocm-smi or npu-smi whether something else holds the card: the message names no numbers. '
                                else ''
                            end || case
                                when requested_bytes >= 0.2 * total_bytes
                                then
                                    'One tensor of '
                                    || bytes_text(requested_bytes)
                                    || ' is the problem: compute it in chunks (logits, attention scores), shorten the sequence, or shard that layer. '
                                when padding >= 1.5
                                then
                                    'Padding multiplies the temporaries by '
                                    || padding
                                    || ': choose dimensions that are multiples of the tile (128, 8). '
                                else ''
                            end
                            || case
                                when self_bytes - reserved_bytes > 3221225472
                                then
                                    bytes_text(self_bytes - reserved_bytes)
                                    || ' of this process are not PyTorch''s (NCCL buffers, other libraries): look there first. '
                                else ''
                            end
                            || coalesce(
                                'The largest allocation is '
                                || known_bytes(largest_allocation_bytes)
                                || coalesce(
                                    ', made at ' || largest_allocation_source,
                                    coalesce(', for ' || largest_allocation_op, '')
                                )
                                || '. ',
                                ''
                            )
                            || case
                                when device = 'tpu'
                                then 'Lower the batch per core, shard or rematerialise more.'
                                when framework = 'onnxruntime'
                                then
                                    'Bound the shapes (batch, sequence, image size), set arena_extend_strategy = kSameAsRequested and cudnn_conv_use_max_workspace = 0; the message does not say whether the arena is the card''s or the host''s: look at both (nvidia-smi, free -h).'
                                when framework = 'paddlepaddle'
                                then
                                    'See with nvidia-smi whether another process uses the card (the message cannot tell); else lower the batch, or set FLAGS_fraction_of_gpu_memory_to_use or FLAGS_allocator_strategy=auto_growth.'
                                when framework in ('rmm', 'cupy', 'thrust', 'xgboost')
                                then
                                    'Hold less at once: smaller partitions, spilling, managed memory; free the pool of a second library in the same process (CuPy, PyTorch, RMM each keep their own), and see with nvidia-smi that nothing else is on the card.'
                                when framework = 'habana'
                                then
                                    'Lower the batch or sequence, shard the model over more cards, use fewer and smaller HPU graphs (they keep their memory), and see with hl-smi that nothing else is on the card.'
                                when framework = 'neuron'
                                then
                                    'Shard the model over more NeuronCores (tensor parallel degree), lower the batch or sequence; neuron-top shows who holds the memory of the core.'
                                when framework = 'llama.cpp'
                                then
                                    'Offload fewer layers (-ngl), shorten the context (-c), quantise the cache, or split the model over more GPUs; see with nvidia-smi that nothing else is on the card.'
                                when framework = 'tensorrt'
                                then
                                    'Lower the workspace limit, the largest shapes of the optimisation profile or the batch, build for a lower precision, and see with nvidia-smi that nothing else is on the card.'
                                when framework = 'jax' or kind = 'bfc'
                                then
                                    'Lower the batch per GPU, shard or rematerialise more; the pool is 75 % of the card unless XLA_PYTHON_CLIENT_MEM_FRACTION says otherwise.'
                                else
                                    'Lower the micro-batch or the sequence length, checkpoint activations, shard parameters, gradients and optimizer states over more GPUs.'
                            end
                            || case
                                when len(ranks) > 0 and len(ranks) <= 2
                                then
                                    ' Only ' || case
                                        len(ranks)
                                        when 1
                                        then 'rank ' || ranks[1]
                                        else 'ranks ' || ranges(ranks)
                                    end
                                    || ' failed: look whether it holds more than its peers (last pipeline stage, longest sequences).'
                                else ''
                            end
                    end
            end
    end as action,
    list_prepend(
        line_at(file_id, line_no),
        case
            when capture_line is not null
            then list_prepend(line_at(file_id, capture_line), lines)
            else lines
        end
    ) as evidence,
    "at",
    until,
    ranks,
    hosts,
    gpus,
    framework,
    device,
    gpu_index as gpu,
    requested_bytes,
    total_bytes,
    free_bytes,
    self_bytes as this_process_bytes,
    allocated_bytes,
    unallocated_bytes,
    reserved_bytes,
    private_pool_bytes,
    limit_bytes,
    reservable_bytes,
    largest_free_bytes,
    stranded_bytes,
    releasable_bytes,
    fragmentation_bytes,
    shortfall_bytes,
    self_bytes - reserved_bytes as not_pytorch_bytes,
    self_pid,
    foreign_processes[1].pid as foreign_pid,
    case
        when len(foreign_processes) > 0 then list_transform(foreign_processes, lambda p:p.pid)
    end as foreign_pids,
    case
        when len(foreign_processes) > 0 or class = 'foreign_process' then foreign_shown
    end as foreign_bytes,
    foreign_rank,
    location,
    program,
    memory_space,
    padding,
    largest_allocation_bytes,
    largest_allocation_op,
    largest_allocation_source,
    capture_function,
    case when expandable then true end as expandable_segments,
    failures,
    messages
from named
