-- What nvidia-smi -q says against a GPU: counts since the last reset, repairs that failed, resets that are asked for, throttling now.
-- Corrected errors, and counts over the whole life of the card (Aggregate), are no news.
CREATE TABLE gpu_state AS
SELECT s.file_id, s.line_no, s.time, s.host, pci_address(s.gpu) AS gpu, s.section, s.key, s.value,
       CASE WHEN s.section = 'Volatile' AND (s.key LIKE 'DRAM Uncorrectable%' OR s.key LIKE 'SRAM Uncorrectable%' OR s.key = 'Double Bit') AND try_cast(s.value AS BIGINT) > 0 THEN 'uncorrectable'
            WHEN s.key IN ('Remapping Failure Occurred', 'Unrepairable Memory') AND s.value = 'Yes' THEN 'replace'
            WHEN s.section LIKE 'Bank Remap%' AND s.key = 'None' AND try_cast(split_part(s.value, ' ', 1) AS BIGINT) > 0 THEN 'replace'
            WHEN s.key = 'SRAM Threshold Exceeded' AND s.value = 'Yes' THEN 'replace'
            WHEN s.key = 'GPU Recovery Action' AND s.value NOT IN ('None', 'N/A') THEN 'recovery'
            WHEN s.key IN ('HW Thermal Slowdown', 'SW Thermal Slowdown', 'HW Power Brake Slowdown') AND s.value = 'Active' THEN 'throttled'
            WHEN s.key IN ('Pending', 'Pending Page Blacklist', 'Channel Repair Pending', 'TPC Repair Pending') AND s.value = 'Yes' THEN 'pending' END AS verdict
FROM smi_value s;
COMMENT ON TABLE gpu_state IS 'lines of nvidia-smi -q with what they mean: uncorrectable | replace | recovery | throttled | pending; NULL is well';
