import type { Job } from './protocol.ts';

/** Every job by name; loaded only in the process that runs it, so that none pays for another. */
export const jobs: Readonly<Record<string, () => Promise<Job>>> = {
  list: async () => (await import('./jobs/list.ts')).list,
  burst: async () => (await import('./jobs/burst.ts')).burst,
  latency: async () => (await import('./jobs/latency.ts')).latency,
  recovery: async () => (await import('./jobs/recovery.ts')).recovery,
};
