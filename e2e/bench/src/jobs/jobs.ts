import type { Job } from './protocol.ts';

/** Every job by name. A process loads only its own job, so that no job is charged for the imports of another. */
export const jobs: Readonly<Record<string, () => Promise<Job>>> = {
  list: async () => (await import('./jobs/list.ts')).list,
  burst: async () => (await import('./jobs/burst.ts')).burst,
  latency: async () => (await import('./jobs/latency.ts')).latency,
  'queue.cycle': async () => (await import('./jobs/queue.ts')).cycle,
  'queue.collapse': async () => (await import('./jobs/queue.ts')).collapse,
  'queue.delayed': async () => (await import('./jobs/queue.ts')).delayed,
  'ring.cycle': async () => (await import('./jobs/ring.ts')).cycle,
  'ring.collapse': async () => (await import('./jobs/ring.ts')).collapse,
  'get.keelson': async () => (await import('./jobs/cached-get.ts')).keelson,
  'get.clientNode': async () => (await import('./jobs/cached-get.ts')).clientNode,
  'get.limit': async () => (await import('./jobs/cached-get.ts')).limit,
  'requests.keelson': async () => (await import('./jobs/requests.ts')).keelson,
  'requests.clientNode': async () => (await import('./jobs/requests.ts')).clientNode,
  'requests.limit': async () => (await import('./jobs/requests.ts')).limit,
  'reconcile.latency': async () => (await import('./jobs/reconcile.ts')).latency,
  'reconcile.overhead': async () => (await import('./jobs/reconcile.ts')).overhead,
  apiserver: async () => (await import('./jobs/apiserver.ts')).apiserver,
  'import.keelson': async () => (await import('./jobs/import-time.ts')).keelson,
  'import.clientNode': async () => (await import('./jobs/import-time.ts')).clientNode,
  recovery: async () => (await import('./jobs/recovery.ts')).recovery,
};
