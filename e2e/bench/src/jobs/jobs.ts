import type { Job } from '../servers/protocol.ts';

/** Every job by name. A process loads only its own job, so that no job is charged for the imports of another. */
export const jobs: Readonly<Record<string, () => Promise<Job>>> = {
  list: async () => (await import('./list.ts')).list,
  burst: async () => (await import('./burst.ts')).burst,
  latency: async () => (await import('./latency.ts')).latency,
  'queue.cycle': async () => (await import('./queue.ts')).cycle,
  'queue.collapse': async () => (await import('./queue.ts')).collapse,
  'queue.measured.cycle': async () => (await import('./measured-queue.ts')).cycleMeasured,
  'queue.measured.lateness': async () => (await import('./measured-queue.ts')).lateness,
  'queue.delayed': async () => (await import('./queue.ts')).delayed,
  'ring.cycle': async () => (await import('./ring.ts')).cycle,
  'ring.collapse': async () => (await import('./ring.ts')).collapse,
  'get.keelson': async () => (await import('./cached-get.ts')).keelson,
  'get.clientNode': async () => (await import('./cached-get.ts')).clientNode,
  'get.limit': async () => (await import('./cached-get.ts')).limit,
  'requests.keelson': async () => (await import('./requests.ts')).keelson,
  'requests.clientNode': async () => (await import('./requests.ts')).clientNode,
  'requests.limit': async () => (await import('./requests.ts')).limit,
  'reconcile.latency': async () => (await import('./reconcile.ts')).latency,
  'reconcile.overhead': async () => (await import('./reconcile.ts')).overhead,
  apiserver: async () => (await import('./apiserver.ts')).apiserver,
  'import.keelson': async () => (await import('./import-time.ts')).keelson,
  'import.clientNode': async () => (await import('./import-time.ts')).clientNode,
  recovery: async () => (await import('./recovery.ts')).recovery,
};
