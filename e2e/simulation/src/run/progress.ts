/** What has been run so far. */
export interface Progress {
  readonly done: number;
  readonly total: number;
  readonly failures: number;
  /** Seconds since the start. */
  readonly seconds: number;
}

/** Returns the progress in words: seeds, failures, speed, and the time that is left. */
export function progressText({ done, total, failures, seconds }: Progress): string {
  const speed = seconds === 0 ? 0 : done / seconds;
  const left = speed === 0 ? '?' : String(Math.ceil((total - done) / speed));
  const failed = failures === 1 ? '1 failure' : `${failures} failures`;
  return `${done} of ${total} seeds, ${failed}, ${Math.round(speed)} seeds/s, ${left} s left`;
}
