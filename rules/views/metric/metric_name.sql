-- table: One row per printed name of a source (and phase, unit, trainer), and what it means there
-- (canonical); of several names for one thing the best keeps it. factor: to seconds or single
-- units.
with
    names as materialized(
        select
            file_id,
            metric_source(f.path, p.stream) as source,
            p.stream,
            p.name,
            p.phase,
            p.unit,
            p.trainer,
            p.n
        from
            (
                select file_id, stream, name, phase, unit, trainer, count(*) as n
                from printed_value
                group by all
            ) p
        join file f using (file_id)
        union all
        select
            file_id,
            source,
            null as stream,
            name,
            phase,
            '' as unit,
            'store' as trainer,
            sum(points) as n
        from stored_curve
        group by all
    ),
    spelling as materialized(  -- few: what a name means by itself is asked once for each
        select
            s.*,
            main_loss_doubt(s.plain, m.doubt) as main,
            metric_kind(s.plain, s.phase, k.kind) as kind_by_name,
            adversary(s.plain) as side
        from
            (
                select name, phase, plain_name(name) as plain
                from (select distinct name, phase from names)
            ) s
        left join main_loss m on m.name = s.plain
        left join metric_spelling k on k.name = s.plain
    ),
    known_name as (
        select
            n.*,
            s.* exclude (name, phase),
            -- a loss is printed by step too: not that of a result now and then
            coalesce(
                max(n.n) filter (
                    n.trainer is distinct from 'epoch_line' and n.name ilike '%loss%'
                ) over (partition by n.source)
                >= 0.5
                * max(n.n) filter (n.trainer = 'epoch_line' and n.name ilike '%loss%') over (
                    partition by n.source
                ),
                false
            ) as by_step,
            bool_or(kind_by_name like '%loss' and not is_unsure_of_loss(plain)) over (
                partition by n.source
            ) as is_loss_named,
            -- what is called ep is an epoch where something is measured on held-out data
            bool_or(kind_by_name = 'episode' and plain <> 'ep') over (partition by n.source)
            or bool_or(kind_by_name = 'episode') over (partition by n.source)
            and not bool_or(
                regexp_matches(
                    plain, '(^|[^a-z])(val|valid|validation|test|dev)[_/]?(loss|acc|error|ppl)'
                )
            ) over (partition by n.source) as by_episode,
            is_unsure_of_loss(plain) and n.trainer <> 'store' as is_unsure,
            (n.file_id, n.name) in (select (file_id, name) from rising_name) as rises
        from names n
        join spelling s on s.name = n.name and s.phase is not distinct from n.phase
    ),
    sides as (
        select
            *,
            coalesce(
                bool_or(side = 'both') over (partition by source)
                or bool_or(side = 'd') over (partition by source)
                and bool_or(side = 'g') over (partition by source),
                false
            ) as of_gan
        from known_name
    ),
    kinds as (
        select
            *,
            -- fairseq's line of an epoch repeats under `train` what train_inner says by interval
            case
                when trainer = 'fairseq' and phase = 'train' and plain ~ 'loss$'
                then 'epoch_loss'
                when is_unsure and rises
                then null
                when
                    is_unsure
                    and (trainer = 'epoch_line' or plain in ('train', 'val'))
                    and not coalesce(is_loss_named, false)
                then
                    case
                        when is_of_validation(plain) then 'validation_loss' else 'component_loss'
                    end
                when
                    of_gan
                    and (
                        kind_by_name in ('component_loss', 'epoch_loss')
                        or kind_by_name is null
                        and (side is not null or plain ~ '^[dg]_[a-z0-9_]+$|^(cycle|idt)_[ab]$')
                    )
                then 'adversarial_loss'
                when kind_by_name = 'episode' and not by_episode
                then 'epoch'
                when by_episode and kind_by_name is null and is_gained(plain)
                then 'reward'
                when by_episode and kind_by_name = 'step_seconds'
                then null  -- how long an episode is, not how fast
                when
                    kind_by_name = 'step_seconds'
                    and trainer = 'store'
                    and (file_id, name) in (from clock_name)
                then 'elapsed_seconds'
                when trainer = 'epochs' and plain = 'train_time'
                then 'step_seconds'  -- ESPnet, PaddleSpeech: of a step, not since the start
                -- what a policy loses is no measure of how well it learns
                when
                    trainer in ('reinforcement', 'policy', 'tabular', 'result')
                    and kind_by_name = 'component_loss'
                then 'policy_loss'
                when trainer = 'epoch_line' and kind_by_name = 'component_loss' and by_step
                then 'epoch_loss'
                else kind_by_name
            end as kind
        from sides
    ),
    games as (
        -- The loss of a policy that is trained for a reward is a surrogate: it starts at zero and
        -- grows with the penalty (GRPO, PPO).
        select
            *,
            bool_or(
                kind = 'reward'
                and not plain ~ 'margin|chosen|rejected|accurac'
                or kind = 'value_loss'
                -- how well a value function foretells what is gained
                or plain ~ '(^|[/_])explained_var(iance)?([/_]|$)'
            ) over (partition by source) as rewarded,
            bool_or(
                kind = 'component_loss'
                and player(plain)
                and plain ~ '(^|[^a-z])(d|dis|disc|discriminator)([^a-z]|$)'
            ) over (partition by source) as opposed,
            -- some models of language print the exponential of their loss alone
            bool_or(kind ~ 'loss$' and kind <> 'validation_loss') over (
                partition by source
            ) as has_loss
        from kinds
    ),
    ranked as (
        select
            *,
            case
                when kind = 'component_loss' and opposed and player(plain)
                then 'adversarial_loss'
                when kind = 'component_loss' and rewarded
                then 'policy_loss'
                when kind = 'component_loss' and main is not null
                then 'loss'
                when kind = 'perplexity' and not has_loss
                then 'loss'
                else kind
            end as meant,
            count_if(kind = 'component_loss') over (partition by source)
            + count_if(kind in ('policy_loss', 'value_loss')) over (partition by source) as losses,
            max(main is not null) filter (kind = 'component_loss') over (
                partition by source
            ) as has_main
        from games
    ),
    counted_names as (
        select
            *,
            (file_id, name) in (select (file_id, name) from unused_name) as unused,
            sum(n) over (partition by source, meant, name) as of_name
        from ranked
    ),
    given as (
        select
            *,
            case
                when meant = 'component_loss' and losses = 1 then 'loss' else meant
            end as canonical_wide,
            case
                meant
                when 'loss'
                then
                    -- of several perplexities that of no factor or part
                    coalesce(
                        main,
                        case
                            when kind = 'perplexity'
                            then 8 + (plain !~ '^(train(ing)?[_/])?(ppl|perplexity)$')::int
                        end
                    )
                when 'step_seconds'
                then (plain = 'iter_time' and trainer = 'epochs')::int  -- ESPnet: of the data alone
                when 'grad_norm'
                then (plain not in ('grad_norm', 'gnorm'))::int + (plain ~ 'critic')::int * 2
                when 'learning_rate'
                then (plain not in ('lr', 'learning_rate'))::int + (plain ~ 'mul|scale')::int
                when 'throughput'
                then
                    case
                        when plain ~ 'tok|^tps|^wps|^tgs'
                        then 0
                        when plain ~ 'sample|seq|^ups'
                        then 1
                        else 2
                    end
                else 0
            end as preference,
            -- A name that is on few lines only (the loss of an evaluation) is not the one.
            max(of_name) over (partition by source, meant) as most
        from counted_names
    )
select
    file_id,
    source,
    stream,
    name,
    phase,
    unit,
    trainer,
    plain,
    case
        when
            canonical_wide in ('loss', 'grad_norm', 'learning_rate', 'throughput', 'step_seconds')
            and dense_rank() over (
                partition by source, canonical_wide
                order by unused, of_name < 0.2 * most, preference, of_name desc, name
            )
            > 1
        then case when canonical_wide = 'loss' then 'component_loss' end
        else canonical_wide
    end as canonical,
    case
        when
            canonical_wide in ('step_seconds', 'elapsed_seconds')
            and (unit = 'ms' or name ~ '\(ms\)$|(_ms|^ms)$')
        then 0.001
        else 1.0
    end
    * case when unit in ('k', 'K') then 1e3 when unit = 'M' then 1e6 else 1.0 end as factor,
    trainer in ('megatron', 'hf', 'fairseq')
    or plain ~ '(^|_)(avg|mean|ema|smooth)|_epoch$|loss_mean' as is_average
from given
