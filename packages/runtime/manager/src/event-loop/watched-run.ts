/** A reconcile or a runnable that has begun. */
export interface WatchedRun {
  /** A name for warnings: `web-app default/a` or `runnable sweeper`. */
  readonly title: string;
}
