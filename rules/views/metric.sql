-- Metrics of every trainer in one long table: from the lines of training_line, training_value and progress_bar, and from the curves of stores.

-- A printed number as DOUBLE: thousands separators, NaN and infinities; NULL where it is none.
CREATE MACRO metric_number(text) AS
  TRY_CAST(CASE WHEN lower(text) IN ('null', 'none') THEN 'nan' ELSE replace(text, ',', '') END AS DOUBLE);

-- What a metric is, from its name as printed (lower case, blanks and dashes as _). NULL: nothing known.
--   loss             the training loss; where several names mean it, `metric` keeps the preferred one and calls the others component_loss
--   validation_loss  epoch_loss (mean of an epoch)  component_loss (one of several)  policy_loss, value_loss (RL: around zero, either sign)
--   adversarial_loss (of one of two networks that play against each other: either goes up when the other gets better)
--   grad_norm learning_rate loss_scale step_seconds elapsed_seconds (since the start) throughput tokens samples epoch skipped nan_steps
--   batch_size sequence_length perplexity accuracy reward kl entropy memory utilization
CREATE MACRO metric_kind(n, phase) AS CASE
  WHEN n = 'lg_loss_scale' THEN NULL -- its logarithm
  WHEN n IN ('loss_scale', 'scale', 'loss_scaler', 'cur_scale', 'grad_scale', 'loss_scale_value', 'amp_scale') OR n ~ '(^|[/_.])loss_?scale(r)?$' THEN 'loss_scale'
  WHEN n ~ 'loss.*(weight|mask|coef|mult|ratio|sd|std|var|min|slope)$|^total_weights$|no_?loss|lossy|(^|[^a-z])(best|lowest|minimum|final|initial|last|previous)([^a-z]|$)' THEN NULL
  WHEN n ~ 'loss|nll|cross_?entropy' AND (phase ~ '^(val|eval|test)' OR n ~ '(^|[^a-z])(val|valid|validation|eval|evaluation|test|dev|heldout|holdout)([^a-z]|$)') AND n !~ 'ppl|perplexity' THEN 'validation_loss'
  WHEN phase ~ '^(val|eval|test)' OR n ~ '(^|[^a-z])(val|valid|validation|eval|evaluation|test|heldout)([^a-z]|$)' THEN CASE WHEN n IN ('val', 'valid', 'tel') THEN 'validation_loss' END
  WHEN n = 'tel' THEN 'validation_loss'
  WHEN n ~ '(^|[^a-z])eta$' THEN NULL
  WHEN n ~ 'pg_loss|policy_loss|policy_gradient_loss|act_loss|actor_loss|actor/loss|policy/loss|loss/policy|ppo/loss/policy' THEN 'policy_loss'
  WHEN n ~ 'vf_loss|value_loss|cri_loss|critic_loss|critic/loss|loss/value' THEN 'value_loss'
  WHEN n ~ '(^|[/_ ])loss_epoch$|loss_epoch$|epoch_loss' THEN 'epoch_loss'
  WHEN n ~ '(^|[/_])(grad\.?(ient)?s?_?norm|gnorm|global_norm|grad_norm_all|total_norm|global_grad_norm|total_grad_norm|l2_norm/grad/global)($|_before.*|/global$|_pre_clip|_unclipped)' OR n IN ('norm', 'grad', 'gradients/norm', 'gn', 'raw_grad_norm', '|g|') THEN 'grad_norm'
  WHEN n ~ '(^|[/_])(lr|learning_rate)($|[_/-]?(group|pg|param_group)?_?[0-9]*$|_\(group_[0-9]+\)$|_abs$|_mul$|_adam.*|_decoupled.*|_sgd.*|_scale$)' OR n ~ '^lr[-_]' THEN 'learning_rate'
  WHEN n ~ '^elapsed_time_per_iteration|(^|[/_])(iter(ation)?_?time|step_?time|time_per_(step|iter(ation)?)|step_seconds|seconds_per_(step|iter)|sec_per_step|train_step_timing(_in_s)?|step_ms|ms_per_(step|iter)|iter_ms|step_dur|time/step|batch_time|(avg_)?batch_cost|timing_s/step|time_per_iter)(_s|_ms|_sec)?$' OR n IN ('dt', 'time', 'took', 'seconds', 'batch_(t)', 'sec/kimg', 'iter_time', 'timing_s/step', 'time_metrics/end_to_end(s)', 'ms') THEN 'step_seconds'
  WHEN n IN ('train_time', 'elapsed', 'elapsed_time', 'wall', 'wall_time', 'total_time', '_runtime', 'train_wall', 'time_elapsed', 'wall_clock/train', 'runtime') THEN 'elapsed_seconds'
  WHEN n ~ '^(consumed_tokens|total_tokens|num_tokens|tokens|trained_tokens|tokens_seen|n_tokens|throughput/total_tokens|num_input_tokens_seen|train_tokens|time/token)$|(^|/)total_tokens$' THEN 'tokens'
  WHEN n ~ '(^|[/_])(mfu|hfu)($|_)' THEN 'utilization'
  WHEN n ~ '(^|[/_])(tps|wps|ups|tgs|ips)$|(tok(en)?s?|samples?|it(er)?s?|steps?|examples?|images?|words?|seqs?|batches)[ _]*(/|per|_per)_?(s|sec|second|gpu|device)|samplespersec|^throughput|throughput\(tps\)' AND n !~ 'energy|joule' THEN 'throughput'
  WHEN n ~ 'mfu|tflop|hfu' THEN 'utilization'
  WHEN n IN ('consumed_samples', 'samples', 'num_samples', 'time/sample') THEN 'samples'
  WHEN n ~ '(^|/)epoch$' THEN 'epoch'
  WHEN n IN ('number_of_skipped_iterations', 'skipped', 'skipped_steps', 'skipped_samples') THEN 'skipped'
  WHEN n IN ('number_of_nan_iterations', 'nan_iterations') THEN 'nan_steps'
  WHEN n ~ '(^|[/_])(global_)?batch_size$|^(bs|gbs|bsz)$' THEN 'batch_size'
  WHEN n ~ '(^|[/_])(seq_?len(gth)?|sequence_length|actual_seqlen|ctx_len)$' THEN 'sequence_length'
  WHEN n ~ '(^|[/_])(ppl|perplexity)$' THEN 'perplexity'
  WHEN n ~ '(^|[/_])(acc(uracy)?|token_acc|mean_token_accuracy|acc@1|top1)$' THEN 'accuracy'
  WHEN n ~ '(^|[/_])(reward|rewards?/mean|score/mean|rewards/margins|reward_score|(ep(isode)?_)?rew(ard)?_mean|(ep(isode)?|mean(_episode)?)_rew(ard)?|episodic_return)$' THEN 'reward'
  WHEN n ~ '(^|[/_])(kl|ppo_kl|approx_kl|kl_loss)$' THEN 'kl'
  WHEN n ~ '(^|[/_])entropy(_loss)?$' THEN 'entropy'
  WHEN n ~ 'mem(ory)?' THEN 'memory'
  WHEN n ~ 'loss|cross_?entropy|(^|[/_])(nll|ce|xent|trl|tel)$' THEN 'component_loss'
END;

-- How surely a name means THE training loss, 1 = best. NULL: a component.
CREATE MACRO main_loss_order(n) AS CASE
  WHEN n IN ('train/loss', 'train_loss_step', 'train_loss', 'training_loss', 'train/train_loss', 'loss/train', 'loss_train', 'train/loss_step', 'training/loss', 'train/total_loss', 'trl') THEN 1
  WHEN n IN ('lm_loss', 'reduced_train_loss', 'loss_metrics/global_avg_loss', 'global_avg_loss', 'loss/train/total', 'lm_loss_value', 'learning/loss', 'reduced_llm_loss') THEN 2
  WHEN n IN ('train/crossentropyloss', 'train/ce_loss', 'optim/crossentropyloss', 'train/cross_entropy') THEN 3
  WHEN n IN ('loss', 'loss_step', 'scaled_loss', 'tr_loss', 'trainloss', 'batch_loss', 'step_loss') THEN 4
  WHEN n IN ('avg_loss', 'mean_loss', 'loss_mean', 'total_loss', 'loss/total', 'loss_total') THEN 5
  WHEN n ~ '(^|[/_])(train|training)(/|_).*loss$' THEN 6
  WHEN n ~ '/loss$' THEN 7
  WHEN n IN ('ce', 'ce_loss', 'nll_loss', 'nll', 'cross_entropy', 'crossentropyloss', 'xent', 'lm') THEN 8
END;

-- Which side of a GAN a loss is of: d, g, or both where one name is enough to tell.
CREATE MACRO adversary(n) AS CASE
  WHEN n ~ 'loss' AND n ~ 'discriminator|generator|gen_loss_total|(^|[/_.])gan([/_.]|$)' THEN 'both'
  WHEN n ~ 'loss' AND n ~ '(^|[/_.])(net)?d([/_.0-9]|$)|(^|[/_.])disc(r|rim)?([/_.0-9]|$)' OR n ~ '^d_(real|fake|gan|a|b)$|^(errd|dloss|lossd)' THEN 'd'
  WHEN n ~ 'loss' AND n ~ '(^|[/_.])(net)?g([/_.0-9]|$)|(^|[/_.])gen([/_.0-9]|$)' OR n ~ '^g_(gan|l1|vgg|nce|a|b)$|^(errg|gloss|lossg)' THEN 'g'
END;

-- The phase that stands in front of an epoch or a step: "Test: [ 50/195]", "[Eval][Epoch 1][Iter: 0/98]".
CREATE MACRO phase_before(lead) AS
  CASE WHEN lead ILIKE '%val%' OR lead ILIKE '%test%'
       THEN nullif(regexp_extract(lead, '(?i)(?:^|[^a-z])(val(?:id(?:at(?:e|ion|ing))?)?|eval(?:uat(?:e|ion|ing))?|test)[^a-z]*(?:\(ema\)[^a-z]*)?(?:epoch[^a-z]*)?$', 1), '') END;

-- Where one writer's values belong together: the file, and who wrote the line within it.
CREATE MACRO metric_source(path, stream) AS
  path || CASE WHEN replace(coalesce(stream, ''), '|', '') = '' THEN '' ELSE ' [' || trim(stream, '|') || ']' END;

-- Names and values of a line's fields: in quotes (a dict or JSON), or as `name: 1`, `name=1`, `name 1`.
CREATE MACRO fields_in_quotes(fields) AS
  regexp_extract_all(fields, '[’‘''"“”]([A-Za-z_][^’‘''"“”]*)[’‘''"“”]\s*:\s*[’‘''"“”]?([-+]?(?:[0-9][0-9.]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|[-+]?(?i:nan|inf(?:inity)?|null))()[’‘''"“”]?\s*(?:[,}]|$)', ['name', 'number', 'unit']);
CREATE MACRO fields_as_pairs(fields) AS
  regexp_extract_all(fields, '([A-Za-z_%][A-Za-z0-9_./@%-]*(?: [A-Za-z(][A-Za-z0-9_./@()-]*){0,2})(?:\s*[:=]\s*|\s+)(?:[\[(]|np\.float[0-9]{2}\(|tensor\()*([-+]?(?:[0-9]+(?:,[0-9]{3})*(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|[-+]?(?:[Nn]a[Nn]|NAN|[Ii]nf(?:inity)?))\s?(ms|secs?|s|%|[KMGT]i?B|[kKM]|x|it/s)?(?:[\s,;|)\]}(>~]|$)', ['name', 'number', 'unit']);
-- Values below a line of names; YOLOv5 heads its losses box, obj and cls.
CREATE MACRO fields_below_names(names, numbers) AS
  list_filter(list_transform(list_zip(string_split_regex(trim(names), '[ \t]+'), string_split_regex(replace(trim(numbers), 'No log', '-'), '[ \t]+')), lambda z: {'name': z[1] || CASE WHEN z[1] IN ('box', 'obj', 'cls') THEN '_loss' ELSE '' END, 'number': z[2], 'unit': ''}),
    lambda f: TRY_CAST(f.number AS DOUBLE) IS NOT NULL);

-- Steps of lines that do not print one: Hugging Face's stand in the progress bar of the same or an earlier line.
CREATE TABLE bar_step AS
WITH bars AS (
  SELECT file_id, stream, line_no, total, max(done) AS done FROM (
    SELECT file_id, stream, line_no, total, done FROM progress_bar
    WHERE fields IS NULL AND file_id IN (SELECT file_id FROM training_line WHERE trainer = 'hf' AND at_step IS NULL)
    UNION ALL -- a bar with nothing between it and the dictionary
    SELECT file_id, stream, line_no, split_part(lead, '/', 2)::DOUBLE, split_part(lead, '/', 1)::DOUBLE FROM training_line
    WHERE trainer = 'hf' AND at_step IS NULL AND lead IS NOT NULL)
  GROUP BY file_id, stream, line_no, total
), hf AS (
  SELECT l.rowid AS line_id, l.file_id, l.stream, l.line_no, contains(l.fields, 'eval_') AS evaluation FROM training_line l WHERE trainer = 'hf' AND at_step IS NULL
), near AS (
  -- Where several trainings stand in one file each has its bar: the one just before its lines.
  SELECT file_id, stream, total FROM (
    SELECT h.file_id, h.stream, b.total, count(DISTINCT b.done) AS n FROM hf h ASOF JOIN bars b ON h.file_id = b.file_id AND h.stream = b.stream AND h.line_no >= b.line_no
    WHERE NOT h.evaluation GROUP BY ALL)
  QUALIFY n >= greatest(3, 0.1 * max(n) OVER (PARTITION BY file_id, stream))
), main AS (
  FROM near UNION ALL
  -- The bar of training is the one redrawn on most lines; bars of evaluation stay on one.
  SELECT file_id, stream, arg_max(total, n) AS total FROM (SELECT file_id, stream, total, count(*) AS n FROM bars GROUP BY ALL)
  WHERE (file_id, stream) NOT IN (SELECT (file_id, stream) FROM near) GROUP BY ALL
), said AS (
  SELECT h.line_id, h.file_id, h.stream, b.done, b.total, b.line_no
  FROM hf h ASOF JOIN (SELECT b.* FROM bars b JOIN main USING (file_id, stream, total)) b
    ON h.file_id = b.file_id AND h.stream = b.stream AND h.line_no >= b.line_no
)
-- Where standard output is buffered the bar runs ahead of the lines: then many lines seem to share a step, and the bar says nothing.
SELECT line_id, done, total FROM said
WHERE (file_id, stream) IN (SELECT (file_id, stream) FROM said GROUP BY file_id, stream HAVING count(DISTINCT line_no) >= 0.6 * count(*));

-- tqdm's short form of a count: 1.20k -> 1200.
CREATE MACRO counted(text) AS
  TRY_CAST(rtrim(text, 'kM') AS DOUBLE) * CASE right(text, 1) WHEN 'k' THEN 1e3 WHEN 'M' THEN 1e6 ELSE 1 END;

-- What stands in front of a step: a phase, a rank; lines that have either.
CREATE TABLE line_front AS
FROM (
  SELECT rowid AS line_id, file_id, stream, trainer, coalesce(phase, phase_before(lead)) AS phase,
    TRY_CAST(CASE WHEN lead ILIKE '%rank%' THEN regexp_extract(lead, '(?i)(?:^|[^a-z])rank[ :=_#-]{0,2}([0-9]{1,6})(?:[^0-9.]|$)', 1)
                  WHEN trainer IN ('epochs', 'generic') AND fields[:8] ILIKE '%rank%' THEN regexp_extract(fields, '^[ ,|]*[Rr]ank[ :=]{1,2}([0-9]{1,6})[ ,|]', 1) END AS BIGINT) AS rank
  FROM training_line)
WHERE phase ~* '^(val|eval|test)' OR rank IS NOT NULL;

CREATE VIEW validation_line AS SELECT line_id, file_id, stream FROM line_front WHERE phase ~* '^(val|eval|test)';

-- A step counted within its epoch: lines that name both, where the step falls back whenever the epoch goes up.
CREATE TABLE within_epoch AS
WITH said AS (
  SELECT rowid AS line_id, file_id, stream, line_no, at_step, planned,
    coalesce(epoch_no, TRY_CAST(coalesce(nullif(regexp_extract(lead, '(?i)epoch[ :=\[#]*([0-9]{1,6})', 1), ''), regexp_extract(fields, '(?i)(?:^|[^a-z_])epoch[ :=\[#]*([0-9]{1,6})(?:[^.0-9]|$)', 1)) AS DOUBLE)) AS epoch
  FROM training_line
  WHERE (trainer = 'generic' AND (lead ILIKE '%epoch%' OR fields ILIKE '%epoch%') OR trainer = 'epochs' AND planned IS NULL)
    AND rowid NOT IN (SELECT line_id FROM validation_line)
), moved AS (
  SELECT *, at_step < lag(at_step) OVER w AS back, epoch > lag(epoch) OVER w AS next_epoch
  FROM said WHERE epoch IS NOT NULL WINDOW w AS (PARTITION BY file_id, stream ORDER BY line_no)
), counted AS (
  SELECT file_id, stream, min(epoch) AS first_epoch, min(at_step) AS shortest, max(at_step) AS longest, max(planned) AS planned,
    -- Further runs in the same file begin at an earlier epoch, or at the same one.
    count(*) FILTER (back AND next_epoch) AS with_epoch, count(*) FILTER (back AND NOT next_epoch) AS without,
    count(*) FILTER (NOT back AND next_epoch) AS going_on
  FROM moved GROUP BY ALL
)
SELECT m.line_id, CASE WHEN c.shortest = c.longest THEN m.epoch ELSE (m.epoch - c.first_epoch) * greatest(c.longest + 1, coalesce(c.planned, 0)) + m.at_step END AS step
FROM moved m JOIN counted c USING (file_id, stream)
WHERE c.with_epoch >= 1 AND c.without <= c.with_epoch AND c.going_on = 0
  OR c.shortest = c.longest AND c.going_on >= 3; -- the number of steps an epoch has

-- Composer heads its values with the unit of the planned length: batches, batches of an epoch, tokens, samples. The batch of the run stands
-- among the values, counted from 0. A head of an evaluation has no step: it comes after that of the training lines before.
CREATE TABLE composer_step AS
WITH heads AS (
  SELECT file_id, stream, line_no, phase, lead AS unit, at_step, epoch_no, planned FROM training_line WHERE trainer = 'composer'
), batches AS (
  SELECT file_id, stream, head, max(batch) AS batch FROM (
    SELECT v.file_id, v.stream, h.line_no AS head, v.metric_value + 1 AS batch
    FROM (SELECT * FROM training_value WHERE trainer = 'composer' AND name = 'time/batch') v
    ASOF JOIN heads h ON h.file_id = v.file_id AND h.stream = v.stream AND h.line_no <= v.line_no)
  GROUP BY ALL
), trained AS (
  SELECT h.*, CASE WHEN unit = 'batch' AND epoch_no IS NULL THEN at_step
    ELSE coalesce(b.batch, (epoch_no - 1) * planned + at_step, CASE WHEN count(b.batch) OVER (PARTITION BY h.file_id, h.stream) = 0 THEN at_step END) END AS step
  FROM heads h LEFT JOIN batches b ON b.file_id = h.file_id AND b.stream = h.stream AND b.head = h.line_no
)
SELECT file_id, stream, line_no, CASE WHEN unit = 'batch' AND epoch_no IS NULL THEN planned END AS steps_planned,
  CASE WHEN unit IS NULL THEN last_value(step IGNORE NULLS) OVER (PARTITION BY file_id, stream ORDER BY line_no ROWS UNBOUNDED PRECEDING) ELSE step END AS step
FROM trained;

-- Steps that go on when the epoch goes up are steps of the run, and what stands behind them is its end.
CREATE TABLE counted_over_epochs AS
SELECT file_id, stream FROM (
  SELECT file_id, stream, at_step - lag(at_step) OVER w AS further, epoch_no > lag(epoch_no) OVER w AS next_epoch
  FROM training_line WHERE trainer = 'epochs' AND planned > 0 AND rowid NOT IN (SELECT line_id FROM validation_line)
  WINDOW w AS (PARTITION BY file_id, stream ORDER BY line_no))
GROUP BY ALL HAVING count_if(next_epoch AND further > 0) >= 1 AND count_if(next_epoch AND further <= 0) = 0;

-- Keras prints no number with an epoch's values: full bars are counted since the last `Epoch 1/`.
CREATE TABLE keras_epoch AS
SELECT line_id, row_number() OVER (PARTITION BY file_id, stream, fit ORDER BY line_no) AS epoch FROM (
  SELECT l.rowid AS line_id, l.file_id, l.stream, l.line_no, (SELECT count(*) FROM training_mark m WHERE m.kind = 'fit' AND m.file_id = l.file_id AND m.line_no < l.line_no) AS fit
  FROM training_line l WHERE l.trainer = 'keras' AND l.at_step = l.planned);

-- Progress bars that carry values (Lightning, NeMo 1): the last writing of a step counts.
CREATE VIEW bar_line AS
WITH bars AS (
  -- A fold is a training of its own.
  SELECT file_id, line_no, stream || coalesce('|' || nullif(regexp_extract(label, '(?i)fold[ _-]?[0-9]+'), ''), '') AS stream, time, host, rank, done, total, fields, rowid AS k,
    TRY_CAST(regexp_extract(label, '(?i)epoch\s*\[?([0-9]+)', 1) AS DOUBLE) AS epoch,
    TRY_CAST(regexp_extract(fields, 'global_step=([0-9.]+)(?:[^0-9.e]|$)', 1) AS DOUBLE) AS global_step, -- 1.23e+5 is rounded
    contains(fields, 'v_num=') OR contains(fields, 'v_num:') AS lightning
  FROM progress_bar WHERE fields IS NOT NULL AND done > 0 -- at 0 of 777 it says what it said last
    AND NOT regexp_matches(label, '(?i)(^|[^a-z])(val|dev)([^a-z]|$)|valid|eval|test|sanity|predict')
  -- Bars without a name that differ in length are those of training and of validation: the one redrawn most often is training.
  QUALIFY trim(label) <> '' OR total = mode(total) FILTER (trim(label) = '') OVER (PARTITION BY file_id, stream)
), run AS (
  SELECT *, coalesce(done < 0.05 * total + 2 AND lag(done) OVER w > 0.95 * total - 2 AND lag(total) OVER w = total AND epoch IS NULL, false) AS again
  FROM bars WINDOW w AS (PARTITION BY file_id, stream ORDER BY line_no, k)
), counted AS (
  SELECT *, coalesce(epoch, count_if(again) OVER (PARTITION BY file_id, stream ORDER BY line_no, k)) AS nth FROM run
), stepped AS (
  -- Lightning counts its epochs from 0, resumed or not.
  SELECT *, coalesce(global_step, (nth - CASE WHEN lightning THEN 0 ELSE min(nth) OVER (PARTITION BY file_id, stream) END) * total + done) AS step FROM counted
)
SELECT * EXCLUDE (total), CASE WHEN max(step) OVER (PARTITION BY file_id, stream) <= total THEN total END AS total,
  row_number() OVER (PARTITION BY file_id, stream, line_no ORDER BY k) AS place -- a bar is drawn again and again on one line
FROM stepped QUALIFY row_number() OVER (PARTITION BY file_id, stream, step, line_no ORDER BY k DESC) = 1;

-- Steps counted within an epoch become steps of the run; a rank the line names tells its writer apart.
CREATE TABLE line_step AS
WITH first_epoch AS ( -- 0 or 1; a log of a resumed run begins later, what its neighbours began with counts for it
  SELECT file_id, stream, min(least(min(epoch_no), 1)) OVER (PARTITION BY regexp_replace(path, '[0-9]+', '#', 'g')) AS epoch
  FROM training_line JOIN (SELECT file_id, path FROM file) USING (file_id) WHERE trainer = 'epochs' GROUP BY file_id, stream, path
),
heads AS (
  SELECT l.rowid AS line_id, h.lead FROM (SELECT rowid, file_id, stream, line_no FROM training_line WHERE layout = 'columns' AND lead IS NULL) l
  ASOF JOIN (SELECT file_id, stream, line_no, lead FROM training_line WHERE trainer = 'head' AND lead IS NOT NULL) h
    ON h.file_id = l.file_id AND h.stream = l.stream AND h.line_no <= l.line_no
), lengths AS (
  SELECT file_id, stream, mode(planned) AS planned FROM training_line
  WHERE trainer IN ('epochs', 'generic', 'mmengine') AND planned > 0 AND (file_id, stream) IN (SELECT (file_id, stream) FROM validation_line) AND rowid NOT IN (SELECT line_id FROM validation_line)
  GROUP BY ALL
), lines AS (
  SELECT l.rowid AS line_id, l.* REPLACE (coalesce(f.phase, l.phase) AS phase, coalesce(l.rank, f.rank) AS rank)
  FROM training_line l LEFT JOIN line_front f ON f.line_id = l.rowid
), stepped AS (
SELECT l.line_id, l.file_id, l.line_no,
  CASE WHEN l.rank IS NOT NULL AND split_part(l.stream, '|', 2) = '' THEN l.stream || 'rank ' || l.rank ELSE l.stream END AS stream,
  l.trainer, l.layout, CASE WHEN l.layout = 'columns' THEN coalesce(l.lead, h.lead) || chr(10) || l.fields ELSE l.fields END AS fields, l.time, l.host, l.rank,
  CASE WHEN l.trainer = 'megatron' AND l.lead NOT IN ('validation', 'valid', 'eval', 'test') THEN ' (' || l.lead || ')' END AS of_set,
  CASE WHEN o.file_id IS NOT NULL AND l.trainer = 'epochs' THEN l.at_step
       WHEN l.trainer = 'epochs' AND l.planned > 0 THEN (l.epoch_no - e.epoch) * l.planned + l.at_step
       WHEN l.trainer IN ('epoch_line', 'columns') THEN coalesce(l.epoch_no, l.at_step)
       WHEN l.trainer = 'levanter' THEN counted(regexp_extract(l.fields, '^([0-9.]+[kM]?)it', 1))
       WHEN l.trainer = 'keras' THEN k.epoch
       WHEN l.trainer = 'hf' THEN coalesce(TRY_CAST(nullif(regexp_extract(l.fields, '[''"](?:train/)?(?:global_)?step[''"]: ([0-9]{1,12})[,} ]', 1), '') AS DOUBLE), l.at_step, b.done)
       ELSE coalesce(w.step, l.at_step, b.done) END AS step,
  CASE WHEN l.trainer = 'levanter' THEN counted(regexp_extract(l.fields, '/([0-9.]+[kM]?)it', 1))
       WHEN (l.trainer NOT IN ('epochs', 'nemo', 'keras') OR o.file_id IS NOT NULL) AND w.step IS NULL THEN coalesce(l.planned, b.total) END AS steps_planned,
  lower(coalesce(l.phase, '')) AS phase,
  l.phase ~* '^(val|eval|test)' AND (l.trainer IN ('epochs', 'generic', 'mmengine') AND l.planned <> t.planned OR l.trainer = 'epoch_line' AND t.planned IS NOT NULL) AS of_validation
FROM lines l
LEFT JOIN bar_step b ON b.line_id = l.line_id
LEFT JOIN within_epoch w ON w.line_id = l.line_id
LEFT JOIN first_epoch e ON e.file_id = l.file_id AND e.stream = l.stream
LEFT JOIN keras_epoch k ON k.line_id = l.line_id
LEFT JOIN heads h ON h.line_id = l.line_id
LEFT JOIN counted_over_epochs o ON o.file_id = l.file_id AND o.stream = l.stream
LEFT JOIN lengths t ON t.file_id = l.file_id AND t.stream = l.stream
-- A bar of Keras that is not full is drawn again; a line of an epoch that also counts batches is none.
WHERE (l.trainer <> 'keras' OR k.epoch IS NOT NULL) AND (l.trainer <> 'epoch_line' OR NOT regexp_matches(l.fields, '(?i)(batch|iter|step|idx)[a-z_]*[ :=#\[]*[0-9]'))
)
SELECT * EXCLUDE (of_validation) FROM stepped WHERE of_validation IS NOT true
UNION ALL BY NAME -- batches of a validation, counted anew each time, and its epochs stand where training stood
SELECT v.* EXCLUDE (of_validation) REPLACE (t.step AS step, NULL::DOUBLE AS steps_planned)
FROM (FROM stepped WHERE of_validation) v
ASOF LEFT JOIN (SELECT file_id, stream, line_no, step FROM stepped WHERE of_validation IS NOT true) t
  ON t.file_id = v.file_id AND t.stream = v.stream AND t.line_no <= v.line_no
UNION ALL BY NAME
SELECT -1 - k AS line_id, file_id, line_no, stream, 'bar' AS trainer, 'pairs' AS layout, fields, time, host, rank, step, total AS steps_planned, '' AS phase, place FROM bar_line;

CREATE TABLE line_value AS
WITH fields AS (
  SELECT line_id, trim(unnest(string_split(fields, '|'))) AS field FROM line_step WHERE layout = 'pipes'
), between_bars AS MATERIALIZED ( -- Megatron's: nearly all are `name: 1`
  SELECT line_id, field, TRY_CAST(replace(trim(split_part(field, ': ', 2)), ',', '') AS DOUBLE) AS number FROM fields
), cut AS (
  SELECT line_id, unnest(fields_in_quotes(fields)) AS f FROM line_step WHERE layout = 'quoted' AND NOT (trainer = 'hf' AND contains(fields, 'train_runtime'))
  UNION ALL
  SELECT line_id, unnest(fields_as_pairs(CASE WHEN contains(fields, 'tot_loss[') THEN regexp_replace(fields, 'tot_loss\[[^\]]*\]', '') ELSE fields END)) AS f
  FROM line_step WHERE layout = 'pairs' -- icefall repeats its names in tot_loss[…], a running mean
  UNION ALL -- llm.c prints some numbers before what they are
  SELECT line_id, unnest(list_transform(regexp_extract_all(fields, '[|(]\s*([0-9.]+) ms(?: \||,)', 1), lambda n: {'name': 'ms', 'number': n, 'unit': ''})
    || list_transform(regexp_extract_all(fields, '[|,] ([0-9.]+) tok/s', 1), lambda n: {'name': 'tok/s', 'number': n, 'unit': ''})) AS f
  FROM line_step WHERE layout = 'pairs' AND (contains(fields, ' ms |') OR contains(fields, ' ms, '))
  UNION ALL
  SELECT line_id, unnest(fields_below_names(split_part(fields, chr(10), 1), split_part(fields, chr(10), 2))) AS f FROM line_step WHERE layout = 'columns'
)
SELECT line_id, f.name, coalesce(f.unit, '') AS unit, metric_number(f.number) AS number
FROM cut WHERE f.name NOT IN ('v_num', 'Rank', 'Instances', 'Size', 'labels', 'img_size')
UNION ALL
SELECT line_id, trim(split_part(field, ': ', 1)), '', number FROM between_bars WHERE number IS NOT NULL
UNION ALL
SELECT line_id, f.name, '', TRY_CAST(replace(f.number, ',', '') AS DOUBLE)
FROM (SELECT line_id, regexp_extract(field, '^([A-Za-z].*?)\s*[: ]\s*([-+]?[0-9][0-9.,]*(?:[eE][-+]?[0-9]+)?|[-+]?(?i:nan|inf))$', ['name', 'number']) AS f FROM between_bars WHERE number IS NULL)
WHERE f.name <> '';

-- Hugging Face writes 0.0 where every step of the window was NaN; the norm beside it tells.
CREATE TABLE hidden_nan AS
SELECT DISTINCT line_id FROM line_value JOIN line_step USING (line_id) WHERE trainer = 'hf' AND name = 'grad_norm' AND NOT isfinite(number);

-- Megatron leaves the loss out where it has none to print: lines that lack a loss their neighbours have, and were not skipped.
CREATE TABLE missing_loss AS
WITH names AS MATERIALIZED ( -- few: what a name means is asked once for each
  SELECT file_id, stream, name, min(line_no) AS first FROM line_value JOIN line_step USING (line_id)
  WHERE trainer = 'megatron' AND phase = '' GROUP BY ALL
), mains AS (
  FROM names WHERE main_loss_order(replace(lower(name), ' ', '_')) IS NOT NULL
)
SELECT l.file_id, l.line_no, l.line_id, l.stream, l.trainer, l.time, l.host, l.rank, m.name, '' AS unit, l.phase, l.step, l.steps_planned
FROM line_step l JOIN mains m ON m.file_id = l.file_id AND m.stream = l.stream AND l.line_no > m.first
WHERE l.trainer = 'megatron' AND l.phase = ''
  AND NOT contains('|' || l.fields, '| ' || m.name || ':') AND NOT contains('|' || l.fields, '| ' || m.name || ' ')
  AND NOT regexp_matches(l.fields, 'number of skipped iterations: *[1-9]');

-- Values of lines, still under their printed names only.
CREATE VIEW printed_value AS
SELECT l.file_id, l.line_no, l.stream, l.trainer, l.time, l.host, l.rank, v.name || coalesce(l.of_set, '') AS name, v.unit, l.phase, l.step, l.steps_planned, l.place,
  CASE WHEN v.number = 0 AND l.trainer = 'hf' AND v.name = 'loss' AND v.line_id IN (SELECT line_id FROM hidden_nan) THEN 'nan'::DOUBLE ELSE v.number END AS value
FROM line_value v JOIN line_step l USING (line_id)
UNION ALL BY NAME
SELECT * EXCLUDE (line_id), 'nan'::DOUBLE AS value FROM missing_loss
UNION ALL BY NAME
SELECT file_id, line_no, stream, trainer, time, host, rank, name, '' AS unit, lower(coalesce(phase, '')) AS phase,
  CASE WHEN epoch_no IS NOT NULL AND planned > 0 THEN epoch_no * planned + at_step ELSE at_step END AS step, -- epochs of composer_line, from 0
  CASE WHEN epoch_no IS NULL THEN planned END AS steps_planned, metric_value AS value
FROM training_value WHERE metric_value IS NOT NULL AND trainer NOT IN ('composer', 'table')
UNION ALL BY NAME
SELECT v.file_id, v.line_no, v.stream, v.trainer, v.time, v.host, v.rank, v.name, '' AS unit, lower(coalesce(v.phase, '')) AS phase, h.step, h.steps_planned, v.metric_value AS value
FROM (SELECT * FROM training_value WHERE metric_value IS NOT NULL AND trainer = 'composer') v
ASOF JOIN composer_step h ON h.file_id = v.file_id AND h.stream = v.stream AND h.line_no <= v.line_no
UNION ALL BY NAME -- tables that have the step among their values
FROM (
  SELECT file_id, line_no, stream, trainer, time, host, rank, name, '' AS unit, '' AS phase, max(metric_value) FILTER (name = 'step') OVER (PARTITION BY file_id, stream, coalesce(table_line, line_no)) AS step,
    NULL::DOUBLE AS steps_planned, metric_value AS value
  FROM training_value WHERE trainer = 'table')
WHERE step IS NOT NULL AND name <> 'step' AND value IS NOT NULL;

-- Every checkpoint of Hugging Face holds the history up to it: the longest one has them all.
CREATE VIEW superseded_state AS
SELECT file_id FROM (
  SELECT c.file_id, regexp_replace(f.path, '(^|/)checkpoint-[0-9]+/', '\1') AS run, sum(points) AS n
  FROM metric_curve c JOIN file f USING (file_id) WHERE f.grammar = 'trainer_state' GROUP BY ALL)
QUALIFY row_number() OVER (PARTITION BY run ORDER BY n DESC, file_id) > 1;

-- Where a curve of a store belongs: the file, or the folder where each file has one metric (MLflow); and the run within it.
CREATE VIEW stored_curve AS
SELECT c.* REPLACE (lower(coalesce(c.phase, '')) AS phase),
  CASE f.grammar WHEN 'mlflow' THEN regexp_replace(f.path, '(^|/)metrics/.*$', '') ELSE f.path END || coalesce(' ' || c.run_name, '') AS source
FROM metric_curve c JOIN file f USING (file_id)
WHERE file_id NOT IN (FROM superseded_state);

-- One of two networks that play against each other (GAN): what one loses the other wins.
CREATE MACRO player(n) AS n ~ 'loss' AND n ~ '(^|[^a-z])(g|d|gen|dis|disc|generator|discriminator|adv|adversarial|gan)([^a-z]|$)|gan_loss|loss_gan';

-- Losses that are printed and not used: all their values are zero.
CREATE VIEW unused_name AS
SELECT file_id, name FROM line_value JOIN line_step USING (line_id)
WHERE name IN (SELECT name FROM line_value WHERE number = 0 AND name ILIKE '%loss') GROUP BY ALL HAVING bool_and(number = 0);

-- What each printed name means in its source; of several names for one thing the best keeps it.
CREATE TABLE metric_name AS
WITH names AS (
  SELECT *, bool_or(trainer IS DISTINCT FROM 'epoch_line' AND name ILIKE '%loss%') OVER (PARTITION BY source) AS by_step,
    regexp_replace(replace(replace(regexp_replace(lower(trim(name)), '\s*\((ms|s|sec|min)\)$', ''), ' ', '_'), '-', '_'), '^(loss_train)$|^(s|s/gpu)_lr$', CASE WHEN name ILIKE '%lr' THEN 'lr' ELSE 'train_loss' END) AS plain
  FROM (
    SELECT file_id, metric_source(f.path, p.stream) AS source, p.stream, p.name, p.phase, p.unit, p.trainer, p.n
    FROM (SELECT file_id, stream, name, phase, unit, trainer, count(*) AS n FROM printed_value GROUP BY ALL) p JOIN file f USING (file_id)
    UNION ALL
    SELECT file_id, source, NULL AS stream, name, phase, '' AS unit, 'store' AS trainer, sum(points) AS n FROM stored_curve GROUP BY ALL
  )
), said AS (
  SELECT *, main_loss_order(plain) AS main, metric_kind(plain, phase) AS said_kind, adversary(plain) AS side FROM names
), sides AS (
  SELECT *, coalesce(bool_or(side = 'both') OVER (PARTITION BY source) OR bool_or(side = 'd') OVER (PARTITION BY source) AND bool_or(side = 'g') OVER (PARTITION BY source), false) AS of_gan
  FROM said
), kinds AS (
  SELECT *,
    -- fairseq's line of an epoch repeats under `train` what train_inner says by interval
    CASE WHEN trainer = 'fairseq' AND phase = 'train' AND plain ~ 'loss$' THEN 'epoch_loss'
         WHEN of_gan AND (said_kind IN ('component_loss', 'epoch_loss') OR said_kind IS NULL AND (side IS NOT NULL OR plain ~ '^[dg]_[a-z0-9_]+$|^(cycle|idt)_[ab]$')) THEN 'adversarial_loss'
         WHEN trainer = 'epochs' AND plain = 'train_time' THEN 'step_seconds' -- ESPnet, PaddleSpeech: of a step, not since the start
         -- what a policy loses is no measure of how well it learns
         WHEN trainer = 'reinforcement' AND said_kind = 'component_loss' THEN 'policy_loss'
         WHEN trainer = 'epoch_line' AND said_kind = 'component_loss' AND by_step THEN 'epoch_loss' ELSE said_kind END AS kind
  FROM sides
), games AS (
  -- The loss of a policy that is trained for a reward is a surrogate: it starts at zero and grows with the penalty (GRPO, PPO).
  SELECT *, bool_or(kind = 'reward' AND NOT plain ~ 'margin|chosen|rejected|accurac' OR kind = 'value_loss') OVER (PARTITION BY source) AS rewarded,
    bool_or(kind = 'component_loss' AND player(plain) AND plain ~ '(^|[^a-z])(d|dis|disc|discriminator)([^a-z]|$)') OVER (PARTITION BY source) AS opposed
  FROM kinds
), ranked AS (
  SELECT *, CASE WHEN kind = 'component_loss' AND opposed AND player(plain) THEN 'adversarial_loss'
      WHEN kind = 'component_loss' AND rewarded THEN 'policy_loss'
      WHEN kind = 'component_loss' AND main IS NOT NULL THEN 'loss'
    ELSE kind END AS meant,
    count_if(kind = 'component_loss') OVER (PARTITION BY source) + count_if(kind IN ('policy_loss', 'value_loss')) OVER (PARTITION BY source) AS losses,
    max(main IS NOT NULL) FILTER (kind = 'component_loss') OVER (PARTITION BY source) AS has_main
  FROM games
), counted_names AS (
  SELECT *, (file_id, name) IN (SELECT (file_id, name) FROM unused_name) AS unused, sum(n) OVER (PARTITION BY source, meant, name) AS of_name FROM ranked
), given AS (
  SELECT *, CASE WHEN meant = 'component_loss' AND losses = 1 THEN 'loss' ELSE meant END AS canonical_wide,
    CASE meant WHEN 'loss' THEN main
      WHEN 'step_seconds' THEN (plain = 'iter_time' AND trainer = 'epochs')::INT -- ESPnet: of the data alone
      WHEN 'grad_norm' THEN (plain NOT IN ('grad_norm', 'gnorm'))::INT + (plain ~ 'critic')::INT * 2
      WHEN 'learning_rate' THEN (plain NOT IN ('lr', 'learning_rate'))::INT + (plain ~ 'mul|scale')::INT
      WHEN 'throughput' THEN CASE WHEN plain ~ 'tok|^tps|^wps|^tgs' THEN 0 WHEN plain ~ 'sample|seq|^ups' THEN 1 ELSE 2 END
      ELSE 0 END AS preference,
    max(of_name) OVER (PARTITION BY source, meant) AS most -- a name that stands on few lines only (the loss of an evaluation) is not the one
  FROM counted_names
)
SELECT file_id, source, stream, name, phase, unit, trainer, plain,
  CASE WHEN canonical_wide IN ('loss', 'grad_norm', 'learning_rate', 'throughput', 'step_seconds')
       AND dense_rank() OVER (PARTITION BY source, canonical_wide ORDER BY unused, of_name < 0.2 * most, preference, of_name DESC, name) > 1
       THEN CASE WHEN canonical_wide = 'loss' THEN 'component_loss' END
       ELSE canonical_wide END AS canonical,
  CASE WHEN canonical_wide IN ('step_seconds', 'elapsed_seconds') AND (unit = 'ms' OR name ~ '\(ms\)$|(_ms|^ms)$') THEN 0.001 ELSE 1.0 END
    * CASE WHEN unit IN ('k', 'K') THEN 1e3 WHEN unit = 'M' THEN 1e6 ELSE 1.0 END AS factor,
  trainer IN ('megatron', 'hf', 'fairseq') OR plain ~ '(^|_)(avg|mean|ema|smooth)|_epoch$|loss_mean' AS is_average
FROM given;

-- Programs that stop at a bad loss say so instead of printing it: that is a point too, one step behind the last one, on the curve it ends.
CREATE TABLE announced_nan AS
WITH said AS (
  SELECT DISTINCT m.file_id, m.line_no, m.time, m.host, m.at_step, n.stream, n.source, n.name, n.canonical, n.is_average
  FROM training_mark m
  JOIN metric_name n ON n.file_id = m.file_id AND n.stream = m.stream AND n.canonical = 'loss' AND n.trainer <> 'store'
  WHERE m.kind = 'nan_found' AND regexp_matches(m.message, '(?i)loss')
  QUALIFY row_number() OVER (PARTITION BY m.file_id, m.stream ORDER BY m.line_no) = 1
), last AS (
  SELECT s.file_id, s.line_no, s.name, max_by(v.rank, v.line_no) AS rank, arg_max(v.step, (v.line_no, v.step)) AS step
  FROM said s JOIN printed_value v ON v.file_id = s.file_id AND v.stream = s.stream AND v.name = s.name AND v.line_no < s.line_no
  GROUP BY ALL
)
SELECT s.file_id, s.line_no, s.time, s.host, l.rank, s.source, s.name, s.canonical, coalesce(s.at_step, l.step + 1) AS step,
  'nan'::DOUBLE AS value, s.line_no * 1048576 AS ordinal, NULL::DOUBLE AS steps_planned, s.is_average
FROM said s LEFT JOIN last l USING (file_id, line_no, name);

CREATE TABLE line_metric AS
FROM (
SELECT v.file_id, v.line_no, v.time, v.host, v.rank, n.source, v.name, n.canonical, v.step, v.value * n.factor AS value,
  v.line_no * 1048576 + coalesce(v.place, 0) AS ordinal, v.steps_planned, n.is_average
FROM printed_value v
JOIN metric_name n ON n.file_id = v.file_id AND n.stream = v.stream AND n.name = v.name AND n.phase = v.phase AND n.unit = v.unit AND n.trainer = v.trainer
UNION ALL BY NAME FROM announced_nan
)
ORDER BY file_id, line_no, step; -- a progress bar is drawn many times on one line

-- What is known of each curve of a store.
CREATE TABLE curve_metric AS
SELECT c.file_id, c.curve, c.line_no, c.time, c.host, c.rank, c.source, c.name, n.canonical, n.factor, c.points, c.planned AS steps_planned, n.is_average
FROM stored_curve c JOIN metric_name n ON n.file_id = c.file_id AND n.source = c.source AND n.name = c.name AND n.phase = c.phase AND n.trainer = 'store';

-- One row per value of any metric from any source. Stores of millions of points are not copied for it.
CREATE VIEW metric AS
FROM line_metric
UNION ALL BY NAME
SELECT p.file_id, p.line_no, p.time, c.host, c.rank, c.source, c.name, c.canonical, p.at_step AS step, p.metric_value * c.factor AS value,
  p.line_no AS ordinal, c.steps_planned, c.is_average
FROM metric_point p JOIN curve_metric c ON c.file_id = p.file_id AND c.curve = p.curve;

-- From which line of a file to which metrics stand in it.
CREATE VIEW metric_span AS
SELECT file_id, min(line_no) AS first_line, max(last_line) AS last_line
FROM (SELECT file_id, line_no, line_no AS last_line FROM line_metric UNION ALL SELECT file_id, line_no, last_line FROM metric_curve) GROUP BY file_id;

-- --- checkpoints, resumes, overflows, phases ------------------------------------------------------------------------

-- The step a text speaks of: "at iteration 700", "global_step80", "checkpoint-500", "iter_0001000".
CREATE MACRO step_in(text) AS coalesce(
  TRY_CAST(nullif(regexp_extract(text, '(?:@ |at |for )([0-9]{1,9}) (?:updates|iterations|iters|steps)', 1), '') AS DOUBLE),
  TRY_CAST(nullif(regexp_extract(text, '(?i)(?:iteration|iter|global[_ ]?step|step|steps)(?: to)?[ _=:-]*([0-9]{1,9})(?:[^0-9.]|[.]?$|[.][a-z])', 1), '') AS DOUBLE),
  -- fairseq's checkpoint_EPOCH_UPDATES.pt; its checkpointEPOCH.pt says no step
  TRY_CAST(nullif(regexp_extract(text, '(?i)(?:(?:checkpoint|ckpt)[_-](?:[0-9]{1,6}_)?|[a-z_-]ba|model_(?:[a-z]+_)?0)([0-9]{1,9})(?:[^0-9._]|[.]?$|[.][a-z])', 1), '') AS DOUBLE));

-- A tag between step and values names what is trained now ([BRIDGE 41%]); its words, without numbers, are the phase.
CREATE TABLE phase_tag AS
WITH tags AS (
  SELECT file_id, line_no, time, host, rank, stream, at_step, trim(regexp_replace(regexp_extract(fields, '^\s*\[([A-Za-z][^\]]{0,40})\]', 1), '[ 0-9.%/]+', ' ', 'g')) AS tag
  FROM training_line WHERE trainer = 'generic'
)
SELECT * FROM tags WHERE tag <> '' QUALIFY tag IS DISTINCT FROM lag(tag) OVER (PARTITION BY file_id, stream ORDER BY line_no) AND lag(tag) OVER (PARTITION BY file_id, stream ORDER BY line_no) IS NOT NULL;

CREATE TABLE training_event AS
SELECT m.file_id, m.line_no, m.time, m.host, m.rank, metric_source(f.path, m.stream) AS source, m.kind,
  coalesce(m.at_step, CASE WHEN m.kind <> 'overflow' THEN step_in(m.message) END) AS step,
  nullif(regexp_extract(m.message, '(?:^|[ =:''"])((?:[a-z0-9]+://|/|\./|[A-Za-z0-9_.-]+/)[^ ,''"\]]*[^ ,''"\].:])', 1), '') AS path, m.metric_value AS value, m.message
FROM training_mark m JOIN file f USING (file_id)
WHERE NOT (m.kind IN ('resume', 'load') AND regexp_matches(m.message, '(?i)(checkpoint|from|path)[ :=''"]*(none|null|false)\b')) -- a setting that says: none
UNION ALL BY NAME
SELECT t.file_id, t.line_no, t.time, t.host, t.rank, metric_source(f.path, t.stream) AS source, 'phase' AS kind, t.at_step AS step, NULL AS path, NULL AS value, t.tag AS message
FROM phase_tag t JOIN file f USING (file_id);
