use std::fs;

/// The processor time of this process, in seconds.
pub fn cpu_seconds() -> f64 {
    seconds_of(libc::CLOCK_PROCESS_CPUTIME_ID)
}

/// The monotonic clock that all processes of a machine share, in microseconds.
pub fn microseconds() -> f64 {
    (seconds_of(libc::CLOCK_MONOTONIC) * 1e6).floor()
}

fn seconds_of(clock: libc::clockid_t) -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the pointer is valid for the call. It fails only for an unknown clock.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// The peak memory of this process. The value of getrusage includes the parent's.
pub fn peak_megabytes() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kilobytes / 1024.0)
}

/// The bytes that the allocator has handed out.
#[cfg(target_env = "gnu")]
pub fn held_bytes() -> Option<f64> {
    // SAFETY: the function only reads the state of the allocator.
    let info = unsafe { libc::mallinfo2() };
    Some((info.uordblks + info.hblkhd) as f64)
}

/// Only glibc reports them.
#[cfg(not(target_env = "gnu"))]
pub fn held_bytes() -> Option<f64> {
    None
}

/// The value below which the fraction `share` of the samples is.
pub fn quantile(samples: &mut [f64], share: f64) -> Option<f64> {
    samples.sort_by(f64::total_cmp);
    let last = samples.len().checked_sub(1)?;
    samples
        .get(((samples.len() as f64 * share) as usize).min(last))
        .copied()
}
