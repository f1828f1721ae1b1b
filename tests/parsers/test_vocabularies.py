"""Closed vocabularies: whole, and every member of them is read in every wording that programs give it."""

from __future__ import annotations

import csv
import ctypes
import errno
import os
import signal
from pathlib import Path

import pytest
from builders.rows import rows_read

from logsift import analyze

PARSERS = Path(__file__).resolve().parents[2] / "parsers"


def seed(name: str) -> list[dict[str, str]]:
    """Rows of a seed, without its comments."""
    with (PARSERS / name).open() as lines:
        return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def library(*patterns: str) -> ctypes.CDLL:
    """A shared library from an installed package; the test is skipped without it."""
    for pattern in patterns:
        for path in sorted(Path("/").glob(pattern.removeprefix("/")), reverse=True):
            try:
                return ctypes.CDLL(str(path))
            except OSError:
                continue
    pytest.skip(f"no {patterns[0].rpartition('/')[2]} on this machine")


CUDA = seed("cuda_error/cuda_error_code.csv")


def test_errors_of_cuda_are_all_there() -> None:
    codes = [int(r["code"]) for r in CUDA]
    assert len(codes) == len(set(codes)) == 141
    assert sum(1 for r in CUDA if r["name"]) == 138
    assert sum(1 for r in CUDA if r["driver_name"]) == 105
    kinds = {"hardware", "access", "assert", "fault", "oom", "capture", "config", "incompatible"}
    assert {r["kind"] for r in CUDA} == kinds


def test_the_runtime_of_cuda_knows_no_other_errors() -> None:
    cudart = library("/usr/local/cuda*/lib*/libcudart.so.1[23]*", "/usr/lib/x86_64-linux-gnu/libcudart.so.1[23]*")
    cudart.cudaGetErrorName.restype = cudart.cudaGetErrorString.restype = ctypes.c_char_p
    known = {int(r["code"]): (r["name"], {r["text"], r["older_text"]}) for r in CUDA}
    for code in range(1, 10001):
        name, text = cudart.cudaGetErrorName(code).decode(), cudart.cudaGetErrorString(code).decode()
        if name != "unrecognized error code":
            assert known[code][0] == name
            assert text in known[code][1]


# What stands in front of the text or name, in the words of the program that prints it.
BY_TEXT = (
    "RuntimeError: CUDA error: {text}",
    "torch.AcceleratorError: CUDA error: {text}",
    "[rank3]: RuntimeError: CUDA error: {text}",
    "RuntimeError: CUDA driver error: {text}",
    "  what():  CUDA error: {text}",
    "gx07:410:455 [3] transport/p2p.cc:288 NCCL WARN Cuda failure {code} '{text}'",
    "gx07:410:455 [3] include/alloc.h:178 NCCL WARN Cuda failure '{text}'",
    "OSError: (External) CUDA error({code}), {text}.",
    "RuntimeError: Triton Error [CUDA]: {text}",
    "/te/gemm.cu:219 in function cublas_gemm: CUDA Error: {text}",
)
BY_NAME = (
    "cupy_backends.cuda.api.runtime.CUDARuntimeError: {name}: {text}",
    'CUDA error at reduce.cu:114 code={code}({name}) "cudaGraphLaunch(graph, stream)"',
    "  what():  for_each: failed to synchronize: {name}: {text}",
)
BY_DRIVER_NAME = (
    "jaxlib.xla_extension.XlaRuntimeError: INTERNAL: Failed to launch CUDA kernel: {driver_name}: {text}",
    "numba.cuda.cudadrv.driver.CudaAPIError: [{code}] Call to cuLaunchKernel results in {driver_name}",
    "INTERNAL: CUDA error: Failed to query event: {driver_name}: {text}",
)


def test_every_error_of_cuda_is_read_in_every_wording(tmp_path: Path) -> None:
    lines, expected = [], []
    for wordings, column in ((BY_TEXT, "text"), (BY_NAME, "name"), (BY_DRIVER_NAME, "driver_name")):
        for row in CUDA:
            # Some texts are those of two errors, up to what is cut from longer messages: the lower number has them.
            same_text = [r["code"] for r in CUDA if r["text"].split(", ")[0] == row["text"].split(", ")[0]]
            for wording in wordings if row[column] else ():
                lines.append(wording.format_map(row))
                expected.append((int(same_text[0] if column == "text" else row["code"]), lines[-1]))
    (tmp_path / "out.log").write_text("\n".join(lines) + "\n")
    rows = analyze(tmp_path, db=None).sql("SELECT line_no, code FROM cuda_error ORDER BY line_no")
    read = {r["line_no"]: r["code"] for r in rows}
    assert [(code, line) for n, (code, line) in enumerate(expected, 1) if read.get(n) != code] == []


NO_ERROR = (
    "ValueError: invalid argument",
    "OSError: [Errno 22] Invalid argument",
    "mount: operation not permitted",
    "device not ready",
    "if (err == cudaErrorPeerAccessAlreadyEnabled) cudaGetLastError();",
    "W cuda_driver.cc:269] failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected",
    "I gpu_executor.cc:81] CUDA_ERROR_NOT_FOUND: named symbol not found",
    "Skipped: the device said cudaErrorNotReady, asking again",
)


def test_what_only_shares_words_with_an_error_is_none(tmp_path: Path) -> None:
    for n, line in enumerate(NO_ERROR):
        (tmp_path / f"{n}.log").write_text(line + "\n")
    assert list(analyze(tmp_path, db=None).sql("SELECT * FROM cuda_error")) == []


HIP = seed("cuda_error/hip_error_code.csv")


def test_errors_of_hip_are_all_there() -> None:
    assert len(HIP) == len({r["code"] for r in HIP}) == len({r["name"] for r in HIP}) == 79


def test_every_error_of_hip_is_read_by_text_and_by_name(tmp_path: Path) -> None:
    lines, expected = [], []
    for row in HIP:
        same_text = [r["name"] for r in HIP if r["text"] == row["text"]]
        if row["text"]:
            lines += [f"RuntimeError: HIP error: {row['text']}", f"ROCm error: {row['text']}"]
            expected += [same_text[0], same_text[0]]
        lines += [f"cupy_backends.cuda.api.runtime.CUDARuntimeError: {row['name']}: {row['text']}"]
        expected += [row["name"]]
    (tmp_path / "out.log").write_text("\n".join(lines) + "\n")
    rows = analyze(tmp_path, db=None).sql("SELECT line_no, name FROM cuda_error WHERE api = 'hip' ORDER BY line_no")
    read = {r["line_no"]: r["name"] for r in rows}
    assert [(name, lines[n - 1]) for n, name in enumerate(expected, 1) if read.get(n) != name] == []


ACL = seed("cuda_error/acl_error_code.csv")


def test_errors_of_ascend_are_all_there_and_each_is_read_by_its_number(tmp_path: Path) -> None:
    assert len(ACL) == len({r["code"] for r in ACL}) == len({r["name"] for r in ACL}) == 190
    wordings = (
        "NPU function error: aclrtSynchronizeEvent(event_), error code is {code}",
        "NPU error, error code is {code}",
    )
    lines = [f"RuntimeError: {wording.format_map(r)}" for r in ACL for wording in wordings]
    lines.append(f"RuntimeError: ACL stream synchronize failed, error code:{ACL[-1]['code']}")
    (tmp_path / "out.log").write_text("\n".join(lines) + "\n")
    rows = analyze(tmp_path, db=None).sql("SELECT name FROM cuda_error WHERE api = 'acl' ORDER BY line_no")
    assert [r["name"] for r in rows] == [r["name"] for r in ACL for _ in wordings] + [ACL[-1]["name"]]


STATUS = seed("cuda_error/gpu_library_status.csv")
STATUSES_OF = {
    "cublas": 9, "cudnn": 53, "cusolver": 24, "cusparse": 11, "cufft": 20, "curand": 12, "nvrtc": 18,
    "hipblas": 11, "miopen": 10, "hsa": 5, "level_zero": 4, "tpu": 2,
}  # fmt: skip
SAID_BY = {  # what PyTorch and others put in front of a status of each library
    "cublas": "RuntimeError: CUDA error: {name} when calling `cublasCreate(handle)`",
    "cudnn": "RuntimeError: cuDNN error: {name}",
    "cusolver": "torch._C._LinAlgError: cusolver error: {name}, when calling `cusolverDnCreate(handle)`",
    "cusparse": "RuntimeError: CUDA error: {name} when calling `cusparseCreate(handle)`",
    "cufft": "RuntimeError: cuFFT error: {name}",
    "curand": "RuntimeError: cuRAND error: {name}",
    "nvrtc": "RuntimeError: CUDA NVRTC error: {name}",
    "hipblas": "RuntimeError: HIP error: {name} when calling `hipblasCreate(handle)`",
    "miopen": "RuntimeError: {name}",
}


def test_statuses_of_the_gpu_libraries_are_all_there_and_each_has_a_meaning() -> None:
    counted = {library: sum(1 for r in STATUS if r["library"] == library) for library in STATUSES_OF}
    assert counted == STATUSES_OF
    assert len({r["name"] for r in STATUS}) == len(STATUS) == sum(STATUSES_OF.values())
    assert [r["name"] for r in STATUS if not r["meaning"]] == []


def test_every_status_of_the_gpu_libraries_is_read(tmp_path: Path) -> None:
    said = [(r["name"], SAID_BY[r["library"]].format_map(r)) for r in STATUS if r["library"] in SAID_BY]
    (tmp_path / "out.log").write_text("\n".join(line for _, line in said) + "\n")
    rows = analyze(tmp_path, db=None).sql("SELECT line_no, name FROM cuda_error ORDER BY line_no")
    read = {r["line_no"]: r["name"] for r in rows}
    assert [(name, line) for n, (name, line) in enumerate(said, 1) if read.get(n) != name] == []


WC_STATUS = seed("nccl/ib_wc_status.csv")
IB_EVENT = seed("nccl/ib_event_type.csv")
VERBS = ("/usr/lib/x86_64-linux-gnu/libibverbs.so.1", "/usr/lib/aarch64-linux-gnu/libibverbs.so.1")


def test_statuses_and_events_of_rdma_are_all_there() -> None:
    assert [int(r["ib_status"]) for r in WC_STATUS] == list(range(1, 24))
    assert [int(r["ib_event"]) for r in IB_EVENT] == list(range(20))


@pytest.mark.parametrize(
    ("function", "rows", "key"),
    [("ibv_wc_status_str", WC_STATUS, "ib_status"), ("ibv_event_type_str", IB_EVENT, "ib_event")],
)
def test_libibverbs_has_the_same_words(function: str, rows: list[dict[str, str]], key: str) -> None:
    call = getattr(library(*VERBS), function)
    call.restype = ctypes.c_char_p
    assert [r["text"] for r in rows] == [call(int(r[key])).decode() for r in rows]
    assert call(int(rows[-1][key]) + 1) == b"unknown"


def test_every_status_is_read_from_nccl_and_from_ucx(tmp_path: Path) -> None:
    by_nccl = "gx07:410:455 [0] net_ib.cc:839 NCCL WARN NET/IB : Got completion with error {ib_status}, opcode 1, len 3, vendor err 129"
    by_ucx = "[1741860000.1] [gx07:411  :0] rc_verbs_iface.c:84   UCX  ERROR send completion with error: {text} qpn 0x6a5 wrid 0x1 vendor_err 0x81"
    lines = [wording.format_map(r) for r in WC_STATUS for wording in (by_nccl, by_ucx)]
    (tmp_path / "out.log").write_text("\n".join(lines) + "\n")
    rows = analyze(tmp_path, db=None).sql("SELECT source, status_name FROM rdma_failure")
    own = {r["status_name"] for r in WC_STATUS if r["echo"] == "false"}
    for source in ("nccl", "ucx"):
        assert {r["status_name"] for r in rows if r["source"] == source} >= own


def test_only_fatal_events_and_lost_ports_are_failures(tmp_path: Path) -> None:
    event = "gx07:410:455 [0] net_ib.cc:93 NCCL WARN NET/IB : mlx5_{ib_event}:1 Got async event : {text}"
    (tmp_path / "out.log").write_text("\n".join(event.format_map(r) for r in IB_EVENT) + "\n")
    rows = analyze(tmp_path, db=None).sql("SELECT event FROM rdma_failure")
    assert {r["event"] for r in rows} == {r["text"] for r in IB_EVENT if r["class"] != "note"}


SIGNALS = seed("signal_number.csv")


def test_signals_are_those_of_this_system_with_the_words_of_its_library() -> None:
    said = {r["said"]: int(r["signal"]) for r in SIGNALS}
    assert len(said) == len(SIGNALS) == 92
    for number in range(1, 32):
        assert said[signal.Signals(number).name] == number
        assert said[signal.strsignal(number) or ""] == number


RESULTS = seed("nccl/nccl_result_code.csv")
HINTS = {
    "ncclUnhandledCudaError": " (run with NCCL_DEBUG=INFO for details)",
    "ncclSystemError": " (run with NCCL_DEBUG=INFO for details)",
    "ncclInternalError": " - please report this issue to the NCCL developers",
    "ncclInvalidArgument": " (run with NCCL_DEBUG=WARN for details)",
    "ncclInvalidUsage": " (run with NCCL_DEBUG=WARN for details)",
}


def test_every_result_of_nccl_is_read_from_torch_with_and_without_its_hint(tmp_path: Path) -> None:
    said = "torch.distributed.DistBackendError: NCCL error in: ../torch/NCCLUtils.cpp:77, {}, NCCL version 2.27.5"
    lines = [
        said.format(r["text"] + hint) for r in RESULTS for hint in dict.fromkeys(("", HINTS.get(r["result_name"], "")))
    ]
    (tmp_path / "out.log").write_text("\n".join(lines) + "\n")
    rows = analyze(tmp_path, db=None).sql("SELECT line_no, error FROM c10d_nccl_error ORDER BY line_no")
    assert len(rows) == len(lines)
    assert {r["error"] for r in rows} == {r["text"] for r in RESULTS}
    assert [int(r["nccl_result"]) for r in RESULTS] == list(range(1, 9))


LIBRARY = seed("library_status/library_status.csv")
LIBRARIES = {
    "nvml": 31, "ucx": 26, "ucc": 8, "oneccl": 12, "nvshmem": 7, "nixl": 13, "libfabric": 16, "efa": 46, "neuron": 27,
    "grpc": 16, "hccl": 25, "hccl_heartbeat": 3, "oneccl_store": 1, "synapse": 26, "mlx": 14,
    "socket": 8, "resolver": 3, "ssh": 1, "cxi": 27, "slurm": 27,
}  # fmt: skip
READ_BY_A_RULE = {  # the other classes name no cause; the seed says who does
    "transport", "peer", "unreachable", "refused", "timed_out", "device", "pinned", "config", "permission", "startup",
    "incompatible",
}  # fmt: skip
NAMES_NO_CAUSE = {"usage", "mismatch", "internal", "memory", "collective", "nan", "busy", "echo", "none"}
SAYS_TEXT = {
    "nvml": "Failed to initialize NVML: {text}",
    "ucx": "[1741860000.1] [gx07:411  :0] ucp_ep.c:9  UCX  ERROR ep 0x7f to peer failed: {text}",
    "socket": "ssh: connect to host gx07 port 22: {text}",
    "resolver": "nslookup: can't resolve 'gx07': {text}",
    "ssh": "RuntimeError: hosts name gx07, but host=gx07 was {text}",
    "hccl_heartbeat": "Cluster Exception Location[IP/ID]:[10.7.34.138/3], So, ExceptionType:[{text} Occurred]",
    "ucc": "[1741860000.1] [gx07:411  :0] ucc_context.c:402  UCC  ERROR failed to create a team: {text}",
    "slurm": "srun: error: slurm_receive_msgs: [[gx07]:6818] failed: {text}",
    "cxi": "MPIDI_OFI_handle_cq_error(1075): OFI poll failed (ofi_events.c:1077:poll:Input/output error - {text})",
}
SAYS_NUMBER = {
    "hccl": "RuntimeError: OpParamMaker.cpp:281 OPS function error: HcclAllreduce, error code is {code}",
    "synapse": "RuntimeError: synStatus={code} [Some text] Device acquire failed.",
    "mlx": "[ring] Receiving from socket 51 failed with errno {code}",
}


def test_statuses_of_the_libraries_are_all_there() -> None:
    assert {lib: sum(1 for r in LIBRARY if r["library"] == lib) for lib in LIBRARIES} == LIBRARIES
    assert len(LIBRARY) == sum(LIBRARIES.values()) == len({(r["library"], r["code"]) for r in LIBRARY})
    assert {r["class"] for r in LIBRARY} == READ_BY_A_RULE | NAMES_NO_CAUSE
    assert [r["name"] for r in LIBRARY if not r["meaning"]] == []


def test_every_status_of_the_libraries_is_read_by_its_name_and_by_its_text(tmp_path: Path) -> None:
    # gRPC's names are words of many others, and some libraries print no name: their numbers are read.
    read_by_name = [
        r
        for r in LIBRARY
        if r["class"] != "none"
        and r["library"]
        not in {"grpc", "socket", "resolver", "ssh", "slurm", "hccl_heartbeat", "oneccl_store", *SAYS_NUMBER}
    ]
    lines = [f"call 7 returned {r['name']}" for r in read_by_name]
    expected = [r["name"] for r in read_by_name]
    by_text = [r for r in LIBRARY if r["text"] and r["library"] in SAYS_TEXT]
    # NVML's texts hold no full stop in the middle of a line
    lines += [SAYS_TEXT[r["library"]].format_map(r) for r in by_text]
    expected += [r["name"] for r in by_text]
    (tmp_path / "out.log").write_text("\n".join(lines) + "\n")
    rows = analyze(tmp_path, db=None).sql("SELECT line_no, name, class FROM library_failure ORDER BY line_no")
    read = {r["line_no"]: r["name"] for r in rows}
    assert [(name, lines[n - 1]) for n, name in enumerate(expected, 1) if read.get(n) != name] == []
    assert [r for r in rows if r["class"] is None] == []


def test_every_status_of_grpc_is_read_with_who_did_not_answer(tmp_path: Path) -> None:
    rows = [r for r in LIBRARY if r["library"] == "grpc"]
    error = (
        '{{"description":"Error received from peer ipv4:10.7.34.138:8470","grpc_message":"so","grpc_status":{code}}}'
    )
    (tmp_path / "out.log").write_text("\n".join(error.format_map(r) for r in rows) + "\n")
    read = analyze(tmp_path, db=None).sql("SELECT name, class, peer FROM library_failure ORDER BY line_no")
    assert [r["name"] for r in read] == [r["name"] for r in rows]
    assert {(r["peer"], r["class"] is None) for r in read} == {("10.7.34.138", False)}


def test_every_status_that_is_told_by_its_number_is_read(tmp_path: Path) -> None:
    rows = [r for r in LIBRARY if r["library"] in SAYS_NUMBER]
    (tmp_path / "out.log").write_text("".join(SAYS_NUMBER[r["library"]].format_map(r) + "\n" for r in rows))
    read = analyze(tmp_path, db=None).sql("SELECT library, name FROM library_failure ORDER BY line_no")
    assert [(r["library"], r["name"]) for r in read] == [(r["library"], r["name"]) for r in rows]


HCCL = seed("hccl/hccl_code.csv")


def test_every_code_of_hccl_has_a_class_that_a_rule_reads_or_that_names_no_cause(tmp_path: Path) -> None:
    assert len({r["hccl_code"] for r in HCCL}) == len(HCCL) == 21
    assert {r["class"] for r in HCCL} <= READ_BY_A_RULE | NAMES_NO_CAUSE | {"meeting"}
    lines = [f"[PID: 411] 2026-03-01-10:11:12.123.456 {r['title']}({r['hccl_code']}): It failed." for r in HCCL]
    (tmp_path / "out.log").write_text("\n".join(lines) + "\n")
    read = analyze(tmp_path, db=None).sql(
        "SELECT name, class FROM library_failure WHERE library = 'hccl' ORDER BY line_no"
    )
    assert [(r["name"], r["class"]) for r in read] == [(r["title"], r["class"]) for r in HCCL]


def test_an_error_of_cuda_is_read_from_its_number_alone(tmp_path: Path) -> None:
    wordings = ("RuntimeError: CUDA driver error: {code}", "x.cu:9 NCCL WARN Cuda failure {code}", "CUDA error {code}")
    lines = [wording.format_map(r) for r in CUDA for wording in wordings]
    (tmp_path / "out.log").write_text("\n".join(lines) + "\n")
    rows = analyze(tmp_path, db=None).sql("SELECT line_no, code FROM cuda_error ORDER BY line_no")
    assert [r["code"] for r in rows] == [int(r["code"]) for r in CUDA for _ in wordings]


ERRNO = seed("os_error/errno.csv")


def test_errors_of_the_system_are_those_of_linux_with_the_words_of_its_library() -> None:
    assert [int(r["errno"]) for r in ERRNO] == [n for n in range(1, 134) if n not in (41, 58)]
    for row in ERRNO:
        number = int(row["errno"])
        assert row["text"] == os.strerror(number)
        assert row["python_class"] == type(OSError(number, "")).__name__
        assert getattr(errno, row["name"], number) == number


def test_every_error_of_the_system_is_read_from_python_and_from_rust(tmp_path: Path) -> None:
    wordings = (
        "{python_class}: [Errno {errno}] {text}: '/data/a.bin'",
        "OSError: cannot map the file: {text} (os error {errno})",
        'called `Result::unwrap()` on an `Err` value: Os {{ code: {errno}, kind: Other, message: "{text}" }}',
    )
    lines = [wording.format_map(r) for r in ERRNO for wording in wordings]
    (tmp_path / "out.log").write_text("\n".join(lines) + "\n")
    rows = analyze(tmp_path, db=None).sql("SELECT line_no, name, class FROM exception_errno ORDER BY line_no")
    assert [(r["name"], r["class"]) for r in rows] == [(r["name"], r["class"]) for r in ERRNO for _ in wordings]


REFUSED = (  # what is said, the error, and whom it could not reach
    ("ConnectionError: Error 111 connecting to 10.4.0.2:6379. Connection refused.", "ECONNREFUSED", "10.4.0.2", 6379),
    ("RuntimeError: dial tcp [fd00::7]:2379: connect: no route to host", "EHOSTUNREACH", "[fd00::7]", 2379),
    ("RuntimeError: last error: ipv4:10.4.0.2:6379: Failed to connect to remote host: Connection refused", "ECONNREFUSED", "10.4.0.2", 6379),
    ("OSError: [Errno 113] Connect call failed ('10.4.0.2', 8476)", "EHOSTUNREACH", "10.4.0.2", 8476),
    ("OSError: [Errno 113] No route to host", "EHOSTUNREACH", None, None),
)  # fmt: skip


def test_the_other_end_of_a_refused_connection_is_read(tmp_path: Path) -> None:
    for n, (line, *_) in enumerate(REFUSED):
        (tmp_path / f"{n}.log").write_text(line + "\n")
    query = "SELECT name, peer, port FROM exception_errno ORDER BY file_id"
    assert [[*r.values()] for r in analyze(tmp_path, db=None).sql(query)] == [end for _, *end in REFUSED]


JOB_STATE = seed("slurm_job_state.csv")
JOB_REASON = seed("slurm_job_reason.csv")
POD_REASON = seed("kubernetes_reason.csv")
NOTICE = seed("cloud_notice.csv")
TPU = seed("tpu_state.csv")
EXIT_CODE = seed("exit_code.csv")


def test_words_of_schedulers_and_clouds_are_all_there() -> None:
    assert len(JOB_STATE) == len({r["job_state"] for r in JOB_STATE}) == 29
    assert len({r["short"] for r in JOB_STATE} - {""}) == 27
    assert len(JOB_REASON) == len({r["reason"] for r in JOB_REASON}) == 206
    assert len(POD_REASON) == len({r["reason"] for r in POD_REASON}) == 72
    assert {p: sum(1 for r in NOTICE if r["provider"] == p) for p in ("aws", "gcp", "azure", "oci")} == {
        "aws": 16, "gcp": 9, "azure": 9, "oci": 2,
    }  # fmt: skip
    assert {k: sum(1 for r in TPU if r["kind"] == k) for k in ("state", "health")} == {"state": 16, "health": 5}
    assert len({(r["said_by"], r["code"]) for r in EXIT_CODE}) == len(EXIT_CODE) == 55
    assert [r for r in JOB_STATE + JOB_REASON + POD_REASON + NOTICE + TPU + EXIT_CODE if not r["meaning"]] == []


def events(tmp_path: Path, lines: list[str]) -> dict[int, set[str]]:
    """What of a scheduler each line, from 1, is read as."""
    (tmp_path / "out.log").write_text("\n".join(lines) + "\n")
    read: dict[int, set[str]] = {}
    for row in rows_read(tmp_path, "SELECT line_no, event FROM scheduler_event"):
        read.setdefault(row["line_no"], set()).add(row["event"])
    return read


def test_states_and_reasons_of_slurm_are_read_as_what_they_are(tmp_path: Path) -> None:
    wordings = (
        "411                 fit        gpu       acct        512 {job_state:>10}      0:0 ",
        "   JobState={job_state} Reason=None Dependency=(null)",
    )
    said = [(r["event"], wording.format_map(r)) for r in JOB_STATE for wording in wordings]
    said += [(r["event"], f"   JobState=FAILED Reason={r['reason']} Dependency=(null)") for r in JOB_REASON]
    read = events(tmp_path, [line for _, line in said])
    # "requeued" is a comment that anybody may set
    wrong = [
        (event, line, read.get(n)) for n, (event, line) in enumerate(said, 1) if read.get(n, set()) != {event} - {""}
    ]
    assert [w for w in wrong if "Reason=requeued" not in w[1]] == []


def test_reasons_of_kubernetes_are_read_as_what_they_are(tmp_path: Path) -> None:
    wordings = ("Warning  {reason}  2m  kubelet  something happened", "    reason: {reason}", '  "reason": "{reason}",')
    said = [(r["event"], wording.format_map(r)) for r in POD_REASON for wording in wordings]
    said += [
        (r["event"], f"llm-worker-3   0/1     {r['reason']}   0   3h") for r in POD_REASON if r["place"] == "container"
    ]
    read = events(tmp_path, [line for _, line in said])
    wrong = [
        (event, line, read.get(n)) for n, (event, line) in enumerate(said, 1) if read.get(n, set()) != {event} - {""}
    ]
    assert [w for w in wrong if "Warning  OOMKilled" not in w[1]] == []


def test_states_of_tpus_and_exit_codes_of_pbs_are_read_as_what_they_are(tmp_path: Path) -> None:
    said = [(r["event"], f"{r['kind']}: {r['name']}") for r in TPU if r["name"] != "TERMINATED"]
    said += [
        (r["class"] if r["class"] not in ("failed", "config") else "", f"    Exit_status = {r['code']}")
        for r in EXIT_CODE
        if r["said_by"] == "pbs"
    ]
    read = events(tmp_path, [line for _, line in said])
    assert [(event, line) for n, (event, line) in enumerate(said, 1) if read.get(n, set()) != {event} - {""}] == []


def test_notices_of_clouds_are_read_as_what_they_are(tmp_path: Path) -> None:
    azure = '{{"EventId": "A1", "EventType": "{notice}", "ResourceType": "VirtualMachine", "EventStatus": "Scheduled"}}'
    said = [
        (
            r["event"],
            (azure if r["provider"] == "azure" and r["event"] != "capacity" else "node 7: {notice}").format_map(r),
        )
        for r in NOTICE
    ]
    read = events(tmp_path, [line for _, line in said])
    assert [(event, line) for n, (event, line) in enumerate(said, 1) if read.get(n) != {event}] == []


RETRIES_USED_UP = (
    "gx07:410:455 [0] net_ib.cc:839 NCCL WARN NET/IB : Got completion with error 12, opcode 1, len 3, vendor err 129",
    "gx07:410:455 [0] net_ib.cc:839 NCCL WARN NET/IB : Got completion from peer <masked> with status=12 opcode=0 len=3 vendor err 129",
    "[gx07:411:0:433] ib_mlx5_log.c:177  Transport retry count exceeded on mlx5_3:1/IB (synd 0x15 vend 0x81 hw_synd 0/0)",
    "[1741860000.1] [gx07:411  :0] rc_verbs_iface.c:84   UCX  ERROR send completion with error: transport retry counter exceeded qpn 0x6a5",
    "/nvshmem/src/modules/transport/ibrc/ibrc.cpp:412: ibv_poll_cq failed, status: 12",
    "Check failed: wc->status == IBV_WC_SUCCESS data path wc failed with status:transport retry counter exceeded",
    "cq poll: IBV_WC_RETRY_EXC_ERR",
    "[[46,1],0][btl_openib_component.c:3652:handle_wc] from gx07 to: gx09 error polling LP CQ with status RETRY EXCEEDED ERROR status number 12 for wr_id 7f",
    " Failed status 12: wr_id 0 syndrom 0x81",
)  # fmt: skip


def test_retries_that_are_used_up_are_one_thing_whoever_prints_them(tmp_path: Path) -> None:
    (tmp_path / "out.log").write_text("\n".join(RETRIES_USED_UP) + "\n")
    rows = analyze(tmp_path, db=None).sql("SELECT line_no, status_name FROM rdma_failure ORDER BY line_no")
    assert [(r["line_no"], r["status_name"]) for r in rows] == [
        (n, "RETRY_EXC_ERR") for n in range(1, len(RETRIES_USED_UP) + 1)
    ]


AROUND = {  # what stands around a message, and who it says wrote it
    "{}": {},
    "[rank3]: {}": {"rank": 3},
    "[1,3]<stderr>:{}": {"rank": 3},
    "[gx07:00411] {}": {"host": "gx07", "pid": 411},
    "[pod/fit-worker-3/trainer] {}": {"host": "fit-worker-3"},
    "Mar  1 10:11:12 gx11 trainer[411]: {}": {"host": "gx11", "pid": 411},
    "(TrainWorker pid=411, ip=10.1.1.2) {}": {"host": "10.1.1.2", "pid": 411},
    "gpu008: {}": {"host": "gpu008"},
    '{{"log":"{}\\n","stream":"stderr","time":"2026-03-01T10:11:12.123Z"}}': {},
    '{{"level":"error","rank":3,"hostname":"gx07","msg":"{}"}}': {"rank": 3, "host": "gx07"},
    '{{"time":"2026-03-01T10:11:12Z","severity":"ERROR","message":"{}","rank":3}}': {"rank": 3},
    '{{"message": "{}", "level": "ERROR", "node": "gx07", "pid": 411}}': {"host": "gx07", "pid": 411},
    "caused by: {}": {},
    "RuntimeError: rank 5 failed. Original exception: {}": {},
    "terminate called: what():  {}": {},
}  # fmt: skip


def test_an_exception_is_read_within_another_message_with_who_wrote_it(tmp_path: Path) -> None:
    lines = [around.format("OSError: [Errno 116] Stale file handle") for around in AROUND]
    (tmp_path / "out.log").write_text("\n".join(lines) + "\n")
    rows = analyze(tmp_path, db=None).sql("SELECT line_no, rank, host, pid FROM exception WHERE class = 'OSError'")
    read = {r["line_no"]: {k: v for k, v in r.items() if v is not None and k != "line_no"} for r in rows}
    assert read == dict(enumerate(AROUND.values(), 1))
