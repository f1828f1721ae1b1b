-- A printed number as DOUBLE: thousands separators, NaN and infinities; NULL where it is none.
create macro metric_number(text) as
    try_cast(
        case
            when lower(text) in ('null', 'none') then 'nan' else replace(text, ',', '')
        end as double
    )
;

-- A name of words that only their capitals part, PolicyLoss: with a sign between them. Where such a
-- name is the usual spelling it stays.
create macro words_apart(name) as
    case
        when
            regexp_full_match(name, '[A-Z][a-z]+([A-Z][a-z]+)+')
            and not regexp_matches(name, 'CrossEntropy|Per')
        then regexp_replace(name, '([a-z])([A-Z])', '\1_\2', 'g')
        else name
    end
;

-- A name as spellings are listed: lower case, its unit taken off, blanks and dashes as _.
create macro plain_name(name) as
    regexp_replace(
        replace(
            replace(
                regexp_replace(
                    lower(words_apart(trim(name))), '\s*\((ms|s|sec|min)\)$', ''
                ),
                ' ',
                '_'
            ),
            '-',
            '_'
        ),
        '^(loss_train)$|^(s|s/gpu)_lr$',
        case when name ilike '%lr' then 'lr' else 'train_loss' end
    )
;

-- What is a loss only where nothing else is called one: it says on which data it was measured, or
-- that it is an error.
create macro is_unsure_of_loss(n) as
    regexp_full_match(
        coalesce(n, ''),
        'train|learn|val|valid|validation|l'
        || '|((mean|avg|average|total|squared|train|training|val|validation|test)_){0,2}'
        || 'error(_rate)?'
    )
;

-- What a metric is, from its name as printed (lower case, blanks and dashes as _), where it is
-- spelled like no other (spelling: its kind in metric_spelling) or follows a pattern; the first
-- that fits. NULL: nothing known. loss: the training loss; where several names mean it, metric_name
-- keeps the preferred one and calls the others component_loss validation_loss, epoch_loss (mean of
-- an epoch), component_loss (one of several) param_norm: norm or checksum of the weights, the same
-- on all ranks that hold the same ones policy_loss, value_loss: of reinforcement learning, around
-- zero, either sign adversarial_loss: of one of two networks that play against each other, made in
-- metric_name elapsed_seconds: since the start
create macro metric_kind(n, phase, spelling) as
    case
        when n = 'lg_loss_scale'
        then null  -- its logarithm
        when spelling = 'loss_scale' or n ~ '(^|[/_.])loss_?scale(r)?$'
        then 'loss_scale'
        when is_no_loss(n)
        then null
        -- how long it took to find it out
        when n ~ '^timing(_m?s)?/' and spelling is null
        then null
        -- what boosting measures of each set
        when n ~ '^(valid|eval|train)[a-z0-9_]*_(rmse|rmsle|mae|mape|l1|l2|m?error)$'
        then case when n ~ '^train' then 'component_loss' else 'validation_loss' end
        when
            n ~ 'loss|nll|cross_?entropy|(^|[/_])ce([/_]|$)'
            and (
                phase ~ '^(val|eval|test)'
                or is_of_validation(n)
                or n ~ '(^|[^a-z])(dev|holdout)([^a-z]|$)'
            )
            and n !~ 'ppl|perplexity'
        then 'validation_loss'
        when phase ~ '^(val|eval|test)' or is_of_validation(n)
        then case when n in ('val', 'valid', 'tel') then 'validation_loss' end
        when n = 'tel'
        then 'validation_loss'
        when n ~ '(^|[^a-z])eta$'
        then null
        when spelling is not null
        then spelling
        when
            n
            ~ 'pg_loss|policy_loss|policy_gradient_loss|act_loss|actor_loss|actor/loss'
            || '|policy/loss|loss/policy|ppo/loss/policy'
        then 'policy_loss'
        when n ~ 'vf_loss|value_loss|cri_loss|critic_loss|critic/loss|loss/value'
        then 'value_loss'
        when n ~ '(^|[/_ ])loss_epoch$|loss_epoch$|epoch_loss'
        then 'epoch_loss'
        when
            n
            ~ '(^|[/_])(grad\.?(ient)?s?_?norm|gnorm|global_norm|grad_norm_all|total_norm'
            || '|global_grad_norm|total_grad_norm|l2_norm/grad/global)'
            || '($|_before.*|/global$|_pre_clip|_unclipped)'
        then 'grad_norm'
        when
            n
            ~ '(^|[/_])(params?|parameters?|weights?|model)_?(l2_?)?'
            || '(norm|check_?sum|hash)($|/global$)'
        then 'param_norm'
        when
            n
            ~ '(^|[/_])(lr|learning_rate)($|[_/-]?(group|pg|param_group)?_?[0-9]*$'
            || '|_\(group_[0-9]+\)$|_abs$|_mul$|_adam.*|_decoupled.*|_sgd.*|_scale$)'
            or n ~ '^lr[-_]'
        then 'learning_rate'
        when
            n
            ~ '^elapsed_time_per_iteration|(^|[/_])(iter(ation)?_?time|step_?time'
            || '|time_per_(step|iter(ation)?)|step_seconds|seconds_per_(step|iter)|sec_per_step'
            || '|train_step_timing(_in_s)?|step_ms|ms_per_(step|iter)|iter_ms|step_dur|time/step'
            || '|batch_time|(avg_)?batch_cost|timing_s/step|time_per_iter)(_s|_ms|_sec)?$'
        then 'step_seconds'
        when n ~ '(^|/)total_tokens$'
        then 'tokens'
        when n ~ '(^|[/_])(mfu|hfu)($|_)'
        then 'utilization'
        when
            n
            ~ '(^|[/_])(tps|wps|ups|tgs|ips)$|(tok(en)?s?|samples?|it(er)?s?|steps?|examples?'
            || '|images?|words?|seqs?|batches)[ _]*(/|per|_per)_?(s|sec|second|gpu|device)'
            || '|samplespersec|^throughput|throughput\(tps\)'
            and n !~ 'energy|joule'
        then 'throughput'
        when n ~ 'mfu|tflop|hfu'
        then 'utilization'
        when n ~ '(^|/)epoch$'
        then 'epoch'
        when
            n
            ~ '(^|/)(ep|(n_|num_)?episodes?|episode_(num(ber)?|idx|index|count))$'
        then 'episode'
        when n ~ '(^|[/_])(global_)?batch_size$'
        then 'batch_size'
        when n ~ '(^|[/_])(seq_?len(gth)?|sequence_length|actual_seqlen|ctx_len)$'
        then 'sequence_length'
        when n ~ '(^|[/_])(ppl|perplexity)$'
        then 'perplexity'
        when n ~ '(^|[/_])(acc(uracy)?|token_acc|mean_token_accuracy|acc@1|top1)$'
        then 'accuracy'
        when
            n
            ~ '(^|[/_])(reward|rewards?/mean|score/mean|rewards/margins|reward_score'
            || '|(ep(isode)?_?)?rew(ard)?_?mean|(ep(isode)?|mean(_episode)?)_rew(ard)?'
            || '|(mean|average|avg|total|episode|running|episodic)_((episode|total)_)?'
            || '(rewards?|returns?|score)|(ep(isod(e|ic))?_?)?return(_mean|_avg)?'
            || '|(average|mean|avg)_?(undiscounted_)?(ep(isode)?_?)?(ret|returns?)'
            || '(_per_training_episode)?)$'
        then 'reward'
        when n ~ '(^|[/_])(kl|ppo_kl|approx_?kl|mean_?kl|kl_loss|gen(eration)?_kl_error)$'
        then 'kl'
        when n ~ '(^|[/_])entropy(_loss)?$' and n !~ 'cross_entropy'
        then 'entropy'
        when n ~ 'mem(ory)?'
        then 'memory'
        when n ~ 'loss|cross_?entropy|(^|[/_])(nll|ce|xent|trl|tel|smooth_?l1)$'
        then 'component_loss'
    end
;

-- What is gained in an episode, by a name that tells it only where values are of episodes: it may
-- have a mean in it, the best so far is none.
create macro is_gained(n) as
    n ~ '(^|[/_])(scores?|returns?|rewards?|rew|points)([/_]|$)'
    and n !~ '(^|[/_])(best|max|min|high(est)?|low(est)?|record|std|var|target|threshold|goal'
    || '|opponent|enemy|loss|steps?|eval|test|val)([/_]|$)'
;

-- What is called a loss and is a setting of it, or a record of the best or last one.
create macro is_no_loss(n) as
    n
    ~ 'loss.*(weight|mask|coef|mult|ratio|sd|std|var|min|slope)$|^total_weights$|no_?loss|lossy'
    or n ~ '(^|[^a-z])(best|lowest|minimum|final|initial|last|previous)([^a-z]|$)'
;

-- A name that says by itself that it is of a validation.
create macro is_of_validation(n) as
    n ~ '(^|[^a-z])(val|valid|validation|eval|evaluation|test|heldout|validierung[a-z]*)'
    || '([^a-z]|$)|验证|驗證|测试|測試|検証|テスト|검증|평가|валид|тест'
;

-- A loss that is named after its kind: one part where others are printed beside it.
create macro is_kind_of_loss(name) as
    regexp_full_match(coalesce(name, ''), '(?i)([a-z]+-)?cross[-_ ]?entropy')
;

-- The mean of a training loss over an epoch, by its name.
create macro is_mean_of_training(name) as
    regexp_full_match(
        coalesce(name, ''),
        '(?i)(mean|avg|average|epoch)[-_ ]+train(ing)?[-_ ]+loss'
        || '|train(ing)?[-_ ]+loss[-_ ]+(mean|avg|average)'
    )
;

-- How doubtful it is that a name means THE training loss, 1 = not at all (spelling: its doubt in
-- main_loss). NULL: a component.
create macro main_loss_doubt(n, spelling) as
    case
        when spelling <= 5
        then spelling
        when n ~ '(^|[/_])(train|training)(/|_).*loss$'
        then 6
        when n ~ '/loss$'
        then 7
        else spelling
    end
;

-- Of one decoder layer of a DETR: `d0.loss_cls`.
create macro of_decoder_layer(n) as
    coalesce(n ~ '(^|[/.])d[0-9]+\.', false)
;

-- Which side of a GAN a loss is of: d, g, or both where one name is enough to tell.
create macro adversary(n) as
    case
        when of_decoder_layer(n)
        then null
        when n ~ 'loss' and n ~ 'discriminator|generator|gen_loss_total|(^|[/_.])gan([/_.]|$)'
        then 'both'
        when
            n ~ 'loss'
            and n ~ '(^|[/_.])(net)?d([/_.0-9]|$)|(^|[/_.])disc(r|rim)?([/_.0-9]|$)'
            or n ~ '^d[rf]?$|^d_(real|fake|gan|a|b)$|^(errd|dloss|lossd)|^discriminator$'
        then 'd'
        when
            n ~ 'loss'
            and n ~ '(^|[/_.])(net)?g([/_.0-9]|$)|(^|[/_.])gen([/_.0-9]|$)'
            or n ~ '^g$|^g_(gan|l1|vgg|nce|a|b)$|^(errg|gloss|lossg)|^a_loss$|^generator$'
        then 'g'
    end
;

-- What a table of values calls the step they are of.
create macro is_step_name(name) as
    regexp_full_match(
        coalesce(name, ''),
        'steps?|total/steps|frames?|(?:time/)?total_timesteps|TimestepsSoFar|nupdates|[Ee]poch'
        || '|(?:[A-Za-z]+/)?(?:Iteration|Itr)|training_iteration'
    )
;

-- The phase that comes before an epoch or a step: "Test: [ 50/195]", "[Eval][Epoch 1][Iter:
-- 0/98]".
create macro phase_before(lead) as
    case
        when lead ilike '%val%' or lead ilike '%test%'
        then
            nullif(
                regexp_extract(
                    lead,
                    '(?i)(?:^|[^a-z])(val(?:id(?:at(?:e|ion|ing))?)?|eval(?:uat(?:e|ion|ing))?'
|| '|test)'
|| '[^a-z]*(?:\(ema\)[^a-z]*)?(?:(?:of|for|in) +)?(?:epoch[^a-z]*)?$',
                    1
                ),
                ''
            )
    end
;

-- Where one writer's values belong together: the file, and who wrote the line within it.
create macro metric_source(path, stream) as
    path || case
        when replace(coalesce(stream, ''), '|', '') = ''
        then ''
        else ' [' || trim(stream, '|') || ']'
    end
;

-- Names and values of a line's fields: in quotes (a dict or JSON), or as `name: 1`, `name=1`, `name
-- 1`.
create macro fields_in_quotes(fields) as
    regexp_extract_all(
        fields,
        '[’‘''"“”]([A-Za-z_][^’‘''"“”]*)[’‘''"“”]\s*:\s*'
        || '(?:[’‘''"“”]|np\.float[0-9]{2}\(|tensor\()?'
        || '([-+]?(?:[0-9][0-9.]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|[-+]?(?i:nan|inf(?:inity)?|null))()'
        || '(?:[’‘''"“”]|(?:,[^(){}]*)?\))?\s*(?:[,}]|$)',
        ['name', 'number', 'unit']
    )
;

-- JSON whose null is no NaN: a validation that was not due, and all of an object that names the
-- keys of a step without a step (its learning rate is null, or a validation was measured).
create macro without_unmeasured(fields) as
    case
        when not contains(fields, 'null')
        then fields
        when
            regexp_matches(
                fields,
                '(?i)"(?:[^"]*[^a-z"])?(?:lr|learning_?rate)"\s*:\s*null'
                || '|"(?:[^"]*[^a-z"])?(?:val|valid|eval|test)[^a-z"][^"]*"\s*:\s*"?[-0-9]'
            )
        then replace(fields, 'null', '-')
        else
            regexp_replace(
                fields,
                '(?i)("(?:[^"]*[^a-z"])?(?:val|valid|eval|test)[^a-z"][^"]*"\s*:\s*)null',
                '\1-',
                'g'
            )
    end
;

create macro fields_as_pairs(fields) as
    regexp_extract_all(
        -- without signs between name and value, NaN reads like a word of the next name
        case
            when
                regexp_matches(
                    fields, '(?i:loss|norm|cost|entropy)[a-z0-9_]*[ \t]+[-+]?(?i:nan|inf)\s'
                )
            then
                regexp_replace(
                    fields,
                    '((?i:loss|norm|cost|entropy)[a-z0-9_]*)[ \t]+([-+]?(?i:nan|inf))(\s)',
                    '\1 \2,\3',
                    'g'
                )
            when regexp_matches(fields, '[:= ]-?[0-9]+,[0-9]{4,}(?:[^0-9,]|$)')
            then regexp_replace(fields, '([0-9]),([0-9]+(?:[^0-9,]|$))', '\1.\2', 'g')
            when contains(fields, 'Tensor(shape=')
            then
                regexp_replace(
                    fields,
                    'Tensor\(shape=(?:[^\[\]]*\[[0-9, ]*\])*?[^\[\]]*\[([^\[\],]*)\]\)',
                    '\1',
                    'g'
                )
            -- PaddleOCR fills numbers up with x, some quote the names of their pairs, LightGBM
            -- has a set's l1
            when regexp_matches(fields, 'xxx|''(?:: |s )')
            then
                replace(
                    replace(replace(fields, 'nanxxx', 'nan'), chr(39) || 's ', '-'), '''', ''
                )
            else fields
        end,
        '([A-Za-z_%][A-Za-z0-9_./@%-]*(?: [A-Za-z(][A-Za-z0-9_./@()-]*){0,2})'
        || '\]?(?:\s*[:=]\s*|\s+)(?:[\[(]\s*|np\.float[0-9]{2}\(|tensor\()*'
        || '([-+]?(?:[0-9]+(?:,[0-9]{3})*(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?'
        || '|[-+]?(?:[Nn]a[Nn]|NAN|[Ii]nf(?:inity)?))'
        || '\s?(ms|secs?|s|%|[KMGT]i?B|[kKM]|x|it/s)?(?:[\s,;|)\]}(>~*]|\.\s|\.?$)',
        ['name', 'number', 'unit']
    )
;

-- The cells of a row of a table, from behind its first column; an empty one keeps its place.
create macro bar_cells(row_text) as
    string_split_regex(trim(translate(row_text, '│┃', '||'), ' *'), '[ *]*[|][ *]*')
;

-- The names that so many cells of a row can be told by: where cells are empty, those of the
-- validation are, and what is behind them is shifted.
create macro named_cells(names, n) as
    case
        when n < len(names)
        then
            list_filter(
                names, lambda c, i:not regexp_matches(array_to_string(names[:i], ' '), '(?i)val')
            )
        else names
    end
;

-- Values below a line of names; YOLOv5 heads its losses box, obj and cls.
create macro fields_below_names(names, numbers) as
    list_filter(
        list_transform(
            case
                when regexp_matches(names, '[|│┃]')
                then list_zip(bar_cells(names), bar_cells(numbers))
                else
                    list_zip(
                        case
                            -- names of several words, set further apart than those
                            when
                                contains(trim(names), '  ')
                                and len(string_split_regex(trim(names), ' {2,}'))
                                = len(string_split_regex(trim(numbers), ' {2,}'))
                            then string_split_regex(trim(names), ' {2,}')
                            else
                                named_cells(
                                    string_split_regex(trim(names), '[ \t]+'),
                                    len(string_split_regex(trim(numbers), '[ \t]+'))
                                )
                        end,
                        string_split_regex(replace(trim(numbers), 'No log', '-'), '[ \t,|]+')
                    )
            end,
            lambda z: {
                'name':z[1]
                || case when z[1] in ('box', 'obj', 'cls', 'total') then '_loss' else '' end,
                'number':z[2],
                'unit':''
            }
        ),
        lambda f:try_cast(f.number as double) is not null
    )
;

-- The epoch that one letter, or two, tells in front of a step: [E2], E 2:, ep3.
create macro short_epoch(lead) as
    try_cast(
        nullif(
            regexp_extract(lead, '^[\[( ]*[Ee][Pp]?[ :=#]?([0-9]{1,6})[\]) ,:|-]*$', 1), ''
        ) as double
    )
;

-- tqdm's short form of a count: 1.20k -> 1200.
create macro counted(text) as
    try_cast(rtrim(text, 'kM') as double)
    * case right(text, 1) when 'k' then 1e3 when 'M' then 1e6 else 1 end
;

-- One of two networks that play against each other (GAN): what one loses the other wins.
create macro player(n) as
    n ~ 'loss'
    and not of_decoder_layer(n)
    and n
    ~ '(^|[^a-z])(g|d|gen|dis|disc|generator|discriminator|adv|adversarial|gan)([^a-z]|$)'
    || '|gan_loss|loss_gan'
;

-- The step a text speaks of: "at iteration 700", "global_step80", "checkpoint-500", "iter_0001000".
create macro step_in(text) as
    coalesce(
        try_cast(
            nullif(
                regexp_extract(
                    text, '(?:@ |at |for )([0-9]{1,9}) (?:updates|iterations|iters|steps)', 1
                ),
                ''
            ) as double
        ),
        try_cast(
            nullif(
                regexp_extract(
                    text,
                    '(?i)(?:iteration|iter|global[_ ]?step|step|steps)(?: to)?[ _=:-]*'
                    || '([0-9]{1,9})(?:[^0-9.]|[.]?$|[.][a-z])',
                    1
                ),
                ''
            ) as double
        ),
        -- fairseq's checkpoint_EPOCH_UPDATES.pt; its checkpointEPOCH.pt says no step
        try_cast(
            nullif(
                regexp_extract(
                    text,
                    '(?i)(?:(?:checkpoint|ckpt)[_-](?:[0-9]{1,6}_)?|[a-z_-]ba|model_(?:[a-z]+_)?0)'
                    || '([0-9]{1,9})(?:[^0-9._]|[.]?$|[.][a-z])',
                    1
                ),
                ''
            ) as double
        )
    )
;

-- A number, NaN or infinity in a line of any layout.
create macro shape_number() as
    '-?(?:[0-9]{1,3}(?:,[0-9]{3})+\b(?:\.[0-9]+)?|[0-9]+(?:[.,][0-9]+)?|\.[0-9]+)'
    || '(?:[eE][-+]?[0-9]+)?|[-+]?\b(?:[Nn]a[Nn]|NAN|[Ii]nf(?:inity)?|INF)\b'
;

-- The letters of all scripts but those of antiquity, to stand in a class: \pL is compiled from 600
-- ranges each time that it is used.
create macro letters() as
    'A-Za-z\x{c0}-\x{1fff}\x{3040}-\x{9fff}\x{ac00}-\x{d7a3}'
;

-- Whether what comes before a number of a line calls it a step.
create macro is_step_word(gap) as
    regexp_matches(
        coalesce(gap, ''),
        '(?i:step|iter(ation)?|update|batch|schritt|étape|步)[^' || letters() || ']*$'
    )
;

-- Its value: 1,234.5 has thousands, 0,25 a decimal comma; NULL for what is neither: 1.2.3.
create macro shape_value(text) as
    try_cast(
        case
            when regexp_full_match(text, '-?[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]+)?')
            then replace(text, ',', '')
            else replace(text, ',', '.')
        end as double
    )
;

-- What the number behind a text is called by it: its last words. What is a loss by another name is
-- called one.
create macro shape_name(gap) as
    regexp_replace(
        regexp_replace(
            regexp_replace(
                regexp_extract(
                    gap,
                    '([' || letters() || '][_/.' || letters() || ']*'
                    || '(?:[ -][_/.' || letters() || ']+){0,2}?)'
                    || '[ \x{a0}\x{3000}]*["''\]):=@ \x{a0}\x{3000}(\[<>|~-]*'
                    || '(?:(?:is|was|of|at|to|now|tensor|np|float)\b[^' || letters() || ']*)*$',
                    1
                ),
                '(?i)^(and|the|with|has|a|avg|average|mean|current|轮|步|次)[ _]', ''
            ),
            -- of time, memory or money
            '(?i)((?:^|[^a-z])(?:time|batch|reader|data|memory|token|api|usd|dollar|gpu|storage))'
            || '([ _-])cost$',
            '\1\2spent'
        ),
        '(?i)(^|.*[^a-z])([a-z]*verlust|perte|p[eé]rdida|perda'
        || '|objective|[a-z_]*cost|criterion|residual'
        || '|r?mse|bp[bcd]|training error|l|ce|nll|xent|objf|потеря|потери|损失|損失|손실)$',
        '\0 loss'
    )
;

-- What comes before the word for the step: "loss at step " -> "loss", "Score at iteration " ->
-- "Score".
create macro before_step(gap) as
    regexp_replace(
        gap,
        '(?i)(?: at| for| after)?[ ,{(@\[]*(?:global[_ ]?)?'
        || '(?:step|iteration|iter|update|batch|epoch)?[^' || letters() || ']*$',
        ''
    )
;

-- The rank that a line of any layout names.
create macro rank_in(text) as
    regexp_extract(text, '(?i)(?:^|[^a-z])rank[ "'':=_#-]{0,3}([0-9]{1,6})(?:[^0-9.]|$)', 1)
;

-- A file in which the training goes on behind a line: three steps or more. Name columns with their
-- tables.
create macro trains_on_after(in_file, behind) as
    (
        select count(distinct s.step) > 2
        from line_step as s
        where s.file_id = in_file::bigint and s.line_no > behind::bigint
    )
;
