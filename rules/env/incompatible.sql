/*
title = "Driver, CUDA, libraries or wheels do not fit together"
severity = "critical"
confidence = "definite"
status = "stable"
explains = ["crash.exception", "crash.config", "gpu.cuda_error", "hang", "host.container"]
about = """
A loader, the driver or a library reports that versions do not match: the driver is too old, the
wheel holds no code for this GPU or processor, a symbol or the C library is missing.
"""
false_positives = "A warning about an optional extension that the program works without."
references = ["https://docs.nvidia.com/deploy/cuda-compatibility/"]

[[summary]]
when = "told"
say = '''
Versions or machines do not fit together: {{ told | cut(300) }}
'''

[[summary]]
when = "problem == 'torch_abi'"
say = '''
{% if library %}{{ library.split('/')[-1] }}{% else %}An extension{% endif %} was built for another
version of PyTorch: undefined symbol {{ symbol }}
'''

[[summary]]
when = "problem == 'c_library' and version"
say = "The C or C++ library is too old: {{ library or 'a library' }} needs {{ version }}"

[[summary]]
when = "problem == 'missing_library' and library"
say = "Shared library {{ library }} was not found{% if hosts %} on {{ hosts | names }}{% endif %}"

[[summary]]
when = "problem == 'symbol' and library"
say = '''
{{ library.split('/')[-1] }} is of another version than the program: undefined symbol {{ symbol }}
'''

[[summary]]
when = "problem == 'host_compiler'"
say = """nvcc does not take the compiler of this host
{%- if newest_compiler %}: {{ newest_compiler }} is the newest{% endif %}"""

[[summary]]
when = "problem == 'operators'"
say = """The toolkit of the NPU has no kernel of {{ 'operator ' ~ operator if operator else 'an
operator' }} for this chip"""

[[summary]]
when = "problem == 'numpy'"
say = "A module was compiled for another version of NumPy: {{ message | cut(250) }}"

[[summary]]
when = "problem == 'pickled'"
say = "A file was pickled with another version of NumPy or pandas: {{ message | cut(250) }}"

[[summary]]
when = "problem == 'torch_packages'"
say = """{{ package or 'A package' }} was built for another version of PyTorch: its operators are
not registered"""

[[summary]]
when = "problem == 'mpi_component'"
say = '''
Open MPI has no component that it can use{% if framework %} in its framework {{ framework }}
{%- endif %}{% if hosts %} on {{ hosts | names }}{% endif %}{% if component %}: {{ component }} was
asked for{% endif %}
'''

[[summary]]
say = "{{ message | cut(300) }}"

[[step]]
when = "problem == 'driver_too_old'"
say = '''
Update the NVIDIA driver{% if hosts %} on {{ hosts | names }}{% endif %}, or install a build for the
CUDA version that it supports{% if version and version.isdigit() %}:
{{ version | int // 1000 }}.{{ version | int % 1000 // 10 }}{% endif %}.
'''
run = [
  "nvidia-smi --query-gpu=driver_version --format=csv,noheader",
  '''python -c "import torch; print(torch.__version__, torch.version.cuda)"''',
  "pip install --force-reinstall torch --index-url https://download.pytorch.org/whl/cu118",
]

[[step]]
when = "problem == 'neuron_driver'"
say = '''
Install the Neuron driver (aws-neuronx-dkms) that fits the runtime
{%- if hosts %} on {{ hosts | names }}{% endif %} and load it; a container needs the devices, too
(docker run --device /dev/neuron0, in Kubernetes the device plugin).
'''
run = ["modinfo -F version neuron", "lsmod | grep neuron", "ls -l /dev/neuron0"]

[[step]]
when = "problem == 'kernel_module'"
say = '''
Build or install the module {{ module }} for the kernel that runs
{%- if hosts %} on {{ hosts | names }}{% endif %}, or boot the one that it was built for: the
kernel was updated without it.
'''
run = ["uname -r", "dkms status", "find /lib/modules -name {{ module }}.ko*"]

[[step]]
when = "problem == 'driver_reload'"
say = '''
Reboot {% if hosts %}{{ hosts | names }}{% else %}the host{% endif %}, or unload and load the NVIDIA
modules: the driver was updated, and the kernel still runs the old one. In a container, start it
again so that it gets the new libraries.
'''
run = ["cat /proc/driver/nvidia/version", "modinfo -F version nvidia"]

[[step]]
when = "problem == 'no_driver'"
say = '''
Check that the process may see a GPU{% if hosts %} on {{ hosts | names }}{% endif %}: the job must
ask for one (sbatch --gpus), a container must be started with them (docker run --gpus all,
singularity exec --nv).
'''
run = ["nvidia-smi -L", "ls -l /dev/nvidia0"]

[[step]]
when = "problem == 'gpu_architecture' and 'HIP' in message"
say = '''
Install a build that holds code for this GPU{% if architecture %} ({{ architecture }}){% endif %},
or build the extension for it with PYTORCH_ROCM_ARCH.
'''
run = [
  "rocminfo | grep gfx",
  '''python -c "import torch; print(torch.version.hip, torch.cuda.get_arch_list())"''',
]

[[step]]
when = "problem == 'gpu_architecture' and 'HIP' not in message"
say = '''
Install a build that holds code for this GPU{% if architecture %} ({{ architecture }}){% endif %},
or build the extension for it with TORCH_CUDA_ARCH_LIST.
'''
run = [
  "nvidia-smi --query-gpu=name,compute_cap --format=csv,noheader",
  '''python -c "import torch; print(torch.version.cuda, torch.cuda.get_arch_list())"''',
]

[[step]]
when = "problem == 'host_compiler'"
say = """
Let nvcc use an older compiler (NVCC_CCBIN, CUDAHOSTCXX for CMake, CC and CXX for an extension of
PyTorch), or build with a CUDA that takes this one.
"""
run = ["nvcc --version", "gcc --version", "ls /usr/bin/g++-*"]

[[step]]
when = "problem == 'dtype'"
say = '''
Compute in float16 or float32 on this GPU, which has no bfloat16, or use one of compute capability
8.0 or later.
'''
run = ["nvidia-smi --query-gpu=name,compute_cap --format=csv,noheader"]

[[step]]
when = "problem == 'cpu_architecture'"
say = '''
Use binaries and container images for this processor{% if hosts %} ({{ hosts | names }}){% endif %}:
this one was built for another, as x86-64 on an Arm host.
'''
run = ["uname -m", "python -c 'import platform; print(platform.machine())'"]

[[step]]
when = "problem == 'torch_abi'"
say = '''
Reinstall the package of {{ library or 'the extension' }} for the PyTorch that is installed (from
source, if there is no wheel for it: pip install --force-reinstall --no-deps --no-build-isolation),
or go back to the PyTorch that it was built for.
'''
run = [
  "c++filt {{ symbol }}",
  '''python -c "import torch; print(torch.__version__, torch._C._GLIBCXX_USE_CXX11_ABI)"''',
]

[[step]]
when = "problem == 'operators'"
say = """
Install the package of operators (Ascend-cann-kernels, or ops in newer releases) of the version of
the toolkit and of this chip, and load its environment: without it the toolkit finds no kernel.
"""
run = [
  "npu-smi info",
  "cat $ASCEND_TOOLKIT_HOME/version.cfg",
  "ls $ASCEND_OPP_PATH/built-in/op_impl/ai_core/tbe/kernel",
]

[[step]]
when = "problem == 'torch_packages'"
say = """
Install PyTorch and {{ package or 'the package' }} in versions that belong together, from the same
index: one of them was changed without the other.
"""
run = ["pip list | grep -i torch", "pip install --force-reinstall torch torchvision torchaudio"]

[[step]]
when = "problem == 'c_library' and 'GLIBC_' in message"
say = '''
Run in a container with a newer system, or install a build made for one as old as
{% if hosts %}{{ hosts | names }}{% else %}this host{% endif %}: the C library
{%- if version %} ({{ version }}){% endif %} comes with the system and cannot be installed beside
it.
'''
run = ["ldd --version | head -n 1", "cat /etc/os-release"]

[[step]]
when = "problem == 'c_library' and 'GLIBC_' not in message"
say = '''
Put a newer libstdc++ first: conda's, or that of the compiler which built
{{ library or 'the library' }}.
'''
run = [
  "strings $(gcc -print-file-name=libstdc++.so.6) | grep -E '^(GLIBCXX|CXXABI)_' | sort -V",
  "conda install -c conda-forge libstdcxx-ng",
  "export LD_LIBRARY_PATH=$CONDA_PREFIX/lib:$LD_LIBRARY_PATH",
]

[[step]]
when = "problem == 'missing_library'"
say = '''
Install the package that holds {{ library or 'the library' }}, or add its folder to LD_LIBRARY_PATH
in the job's script{% if hosts %} (on {{ hosts | names }}){% endif %}.
'''
run = ["ldconfig -p | grep -F {{ library }}", "find / -xdev -name {{ library }} 2>/dev/null"]

[[step]]
when = "problem == 'symbol'"
say = '''
Find the library that should define {{ symbol or 'the symbol' }}: an older one is found first.
Reinstall the two packages in versions that belong together.
'''
run = ["c++filt {{ symbol }}", "ldd {{ library }}"]

[[step]]
when = "problem == 'cpu_only'"
say = "Install a build of PyTorch with CUDA; this one is for the CPU only."
run = [
  '''python -c "import torch; print(torch.__version__, torch.version.cuda)"''',
  "pip install --force-reinstall torch --index-url https://download.pytorch.org/whl/cu126",
]

[[step]]
when = "problem == 'communication'"
say = '''
Check that driver, CUDA, NCCL and its plugins{% if hosts %} of {{ hosts | names }}{% endif %} fit
together, and that the library which is named can be loaded, in the container too.
'''
run = [
  "nvidia-smi --query-gpu=driver_version --format=csv,noheader",
  "ldconfig -p | grep -E 'libnccl|libcuda|libnvidia-ml|libibverbs|libgdrapi'",
]

[[step]]
when = "problem == 'communication' and 'NET plugin' in message"
say = '''
See whether NCCL_NET or NCCL_NET_PLUGIN asks for a network plugin that is not there: NCCL then takes
none of its own instead.
'''
run = ["env | grep -E '^NCCL_NET'", "ldconfig -p | grep libnccl-net"]

[[step]]
when = "problem == 'numpy' and 'this version of numpy is' in message"
say = """
Install a NumPy as new as the one that the module was compiled against, or the module again for the
NumPy that is there: the message tells the number of both interfaces.
"""
run = ["pip list | grep -i numpy", "pip check"]

[[step]]
when = "problem == 'numpy' and 'this version of numpy is' not in message"
say = "Install a NumPy below 2, or a newer version of the module that was compiled for NumPy 1."
run = ["pip install 'numpy<2'"]

[[step]]
when = "problem == 'pickled'"
say = """
Read the file with the version that wrote it (NumPy 2 has numpy._core, pandas 2 no numeric index),
or write it anew with the one that is here.
"""
run = ["pip list | grep -iE '^(numpy|pandas) '"]

[[step]]
when = "problem == 'mpi_component'"
say = '''
See what this Open MPI was built with{% if hosts %} on {{ hosts | names }}{% endif %}, whether the
libraries of {{ component or 'the component' }} can be loaded there, and whether a setting asks for
a component that is not there or whose network is not.
'''
run = [
  "ompi_info | grep -i {{ framework }}",
  "env | grep ^OMPI_MCA_",
  "ldd $(ompi_info --path libdir --parsable | cut -d: -f3)/openmpi/mca_{{ framework }}_*.so",
]

[[step]]
when = "problem == 'nccl'"
say = "Make all hosts use the same NCCL: one environment or one container image for the whole job."
run = [
  '''python -c "import torch; print(torch.cuda.nccl.version())"''',
  "ldconfig -p | grep nccl",
]

[[step]]
when = "problem == 'not_built'"
say = '''
Install a build of the library that has what the message misses, or choose another backend: on
Windows and without a GPU gloo.
'''
run = [
  '''python -c "import torch.distributed as d;
print(d.is_nccl_available(), d.is_gloo_available())"''',
]

[[step]]
when = "problem == 'version'"
say = '''
Install the versions that the message asks for, in the same environment on every host.
'''
run = ["python -m torch.utils.collect_env", "pip check"]
*/
with
    candidate as (
        select
            m.what,
            m.message,
            coalesce(m.rank, c.rank) as rank,
            coalesce(
                m.host,
                c.host,
                case
                    when m.what = 'component'
                    then nullif(regexp_extract(m.message, '\n *Host: +([0-9A-Za-z_.-]+)', 1), '')
                end
            ) as host,
            coalesce(m.pid, c.pid) as pid,
            m.time,
            m.file_id,
            m.line_no,
            exists (
                from exception e where e.file_id = m.file_id and e.line_no = m.line_no
            ) as raised
        from mismatch_line m
        left join cuda_error c using (file_id, line_no)
        where
            not regexp_matches(
                -- NCCL's word for an error
                replace(m.message, 'NCCL WARN ', ''),
                '(?i)^ *(?:#|//|>)|\bINFO\b|warn|\boptional\b|falling back|skipping|hint:|if you '
            )
        union all by name
        select
            case when library = 'nvml' then 'driver' else 'version' end as what,
            coalesce(text, name) || ': ' || meaning as message,
            rank,
            host,
            pid,
            time,
            file_id,
            line_no,
            false as raised,
            true as is_status
        from library_failure f
        where
            "class" = 'incompatible'
            and exists (from trouble_sign)
            and not exists (
                from mismatch_line m where m.file_id = f.file_id and m.line_no = f.line_no
            )
    ),
    -- Without an exception a line counts only where training did not go on.
    serious as (
        select
            *,
            exists (
                from exception_verdict v
                where v.file_id = c.file_id and c.line_no in (v.raised_line, v.line_no) and v.warned
            ) as warned
        from candidate c
        where
            (
                raised
                or is_status
                or what in ('driver', 'architecture', 'operators', 'host_compiler')
                -- no message can be sent without a PML; what else was asked for may be spared
                or what = 'component'
                and (message ~* '\bpml\b' or exists (from trouble_sign))
                or regexp_matches(message, 'symbol lookup error|error while loading|GLIBC')
                -- the exception's message was broken at a terminal's width, or ends with a colon
                or what = 'symbol'
                and exists (
                    from exception_verdict v
                    where
                        v.file_id = c.file_id
                        and (
                            v.raised_line between c.line_no - 3 and c.line_no + 40
                            and v.class in ('ImportError', 'OSError')
                            or v.raised_line = c.line_no - 1
                            and ends_with(v.raised_message, ':')
                        )
                )
            )
            -- nor for one of the many programs in a machine's journal
            and not (
                what = 'library'
                and raised is not true
                and is_of_a_journal(host, pid, rank, message)
                and not exists (from job_output o where o.file_id = c.file_id)
            )
            and not exists (from metric m where m.file_id = c.file_id and m.line_no > c.line_no + 5)
            -- NCCL does without NVML
            and not (
                what = 'driver'
                and raised is not true
                and contains(message, 'NCCL WARN')
                and exists (
                    from nccl_init i
                    where
                        i.phase = 'COMPLETE'
                        and (
                            i.file_id = c.file_id
                            and i.line_no > c.line_no
                            -- what it wrote to standard output is in a file of its own
                            or i.file_id <> c.file_id
                            and contains(c.message, ':' || i.pid || ':')
                        )
                )
            )
            and (
                raised is not true
                or exists (
                    from exception_verdict v
                    where
                        v.file_id = c.file_id
                        and v.steps_after < 2
                        and not (
                            v.kind = 'incompatible'
                            and went_on_after(v.chain_uncaught, v.job_failed, v.lines_after)
                        )
                        and (
                            v.raised_line = c.line_no
                            or v.line_no = c.line_no
                            or v.chain_line <= c.line_no
                            and v.raised_line >= c.line_no
                        )
                )
            )
    ),
    mismatch as (
        select
            what,
            -- What comes before is the assertion's place in the source, often cut by a line's end.
            regexp_replace(
                min_by(message, (file_id, line_no)),
                '^.*please report a bug to PyTorch\. +(.+)$',
                '\1',
                's'
            ) as message,
            list(distinct rank order by rank) filter (rank is not null) as ranks,
            list(distinct host) filter (host is not null) as hosts,
            list(distinct pid order by pid) filter (pid is not null) as pids,
            min(time) as started,
            count(*) as times,
            bool_and(warned) as warned,
            any_value(message) filter (starts_with(message, 'PML ')) as refused_component,
            list(line_at(file_id, line_no) order by file_id, line_no)[:10] as evidence
        from serious
        group by what
        union all by name
        -- what a communication library could not load, or finds too old
        select
            'communication' as what,
            min_by(message, (file_id, line_no)) as message,
            list(distinct rank order by rank) filter (rank is not null) as ranks,
            list(distinct host) filter (host is not null) as hosts,
            min(time) as started,
            count(*) as times,
            list(line_at(file_id, line_no) order by file_id, line_no)[:10] as evidence
        from communication_failure
        where class = 'driver'
        having count(*) > 0
    ),
    named as (
        select
            *,
            nullif(regexp_extract(message, 'undefined symbol: ([^ ,]+)', 1), '') as symbol,
            coalesce(
                nullif(
                    regexp_extract(message, '([^ :''"]+\.so[.0-9]*): (?:undefined|cannot open)', 1),
                    ''
                ),
                nullif(regexp_extract(message, 'required by ([^ )]+)', 1), '')
            ) as library
        from mismatch
    )
select
    evidence,
    started as "at",
    ranks,
    hosts,
    pids,
    -- a logger's warning tells of what the program made do without
    case when warned then 'warning' end as severity,
    case when warned then 'possible' end as confidence,
    what,
    case
        when what = 'driver' and contains(message, 'no NVIDIA driver')
        then 'no_driver'
        when what = 'driver' and regexp_matches(message, 'API mismatch|library version mismatch')
        then 'driver_reload'
        when what = 'driver' and regexp_matches(message, '(?i)neuron|compatible Driver version')
        then 'neuron_driver'
        when what = 'driver' and contains(message, 'FATAL: Module ')
        then 'kernel_module'
        when what = 'driver'
        then 'driver_too_old'
        when what = 'architecture' and regexp_matches(message, '(?i)bf16|bfloat16')
        then 'dtype'
        when what = 'architecture' and regexp_matches(message, '[Ee]xec format|cannot execute')
        then 'cpu_architecture'
        when what = 'architecture'
        then 'gpu_architecture'
        when what = 'library'
        then 'missing_library'
        when what = 'symbol' and regexp_matches(message, 'GLIBC|CXXABI|GCC_')
        then 'c_library'
        when what = 'symbol' and regexp_matches(symbol, '^_Z[A-Z]*(3c10|2at|5torch|4c10d)|^THP')
        then 'torch_abi'
        when what in ('symbol', 'host_compiler', 'operators')
        then what
        when what = 'component'
        then 'mpi_component'
        when what = 'communication'
        then 'communication'
        when contains(message, 'not compiled with CUDA')
        then 'cpu_only'
        when regexp_matches(message, 'operator torch[a-z]+::')
        then 'torch_packages'
        when regexp_matches(message, 'named ''(numpy[.]_core|pandas[.])|''_frombuffer'' on')
        then 'pickled'
        when regexp_matches(message, 'NumPy 1|numpy|_ARRAY_API')
        then 'numpy'
        when regexp_matches(message, ' built in| not been built| not linked with support')
        then 'not_built'
        when contains(message, 'NCCL')
        then 'nccl'
        else 'version'
    end as problem,
    left(message, 1000) as message,
    times,
    symbol,
    library,
    coalesce(
        nullif(regexp_extract(message, 'found version ([0-9.]+)', 1), ''),
        nullif(regexp_extract(message, 'version .((?:GLIBC|GLIBCXX|CXXABI)_[0-9.]+)', 1), ''),
        nullif(regexp_extract(message, 'client has the version ([0-9.]+)', 1), '')
    ) as version,
    nullif(regexp_extract(message, 'FATAL: Module ([a-z0-9_-]+)', 1), '') as module,
    nullif(regexp_extract(message, '(sm_[0-9]+a?)', 1), '') as architecture,
    nullif(regexp_extract(message, 'operator (torch[a-z]+)::', 1), '') as package,
    nullif(
        regexp_extract(message, '[Oo]p(?:erator)? ([A-Za-z0-9_]+) does not has', 1), ''
    ) as operator,
    case
        when what = 'component'
        then
            coalesce(
                nullif(regexp_extract(message, '(?:in the |\n *Framework: +)([a-z0-9_]+)', 1), ''),
                'pml'
            )
    end as framework,
    case
        when what = 'component'
        then
            nullif(
                regexp_extract(
                    concat(refused_component, message), '(?:\n *Component: +|^PML )([a-z0-9_]+)', 1
                ),
                ''
            )
    end as component,
    nullif(
        replace(
            regexp_extract(message, '\b([a-z]+ versions later than [0-9.]*[0-9])', 1),
            ' versions later than',
            ''
        ),
        ''
    ) as newest_compiler
from named
union all by name
-- in words that no grammar knows
select evidence, "at", 'told' as what, message, explains, told, confidence, otherwise
from told_cause
where what = 'incompatible'
