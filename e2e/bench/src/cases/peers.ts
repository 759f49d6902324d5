import type { BenchCase } from './bench-case.ts';

type Peers = Pick<BenchCase['sides'], 'clientGo' | 'kubeRs' | 'controllerRuntime'>;

/** The informer of client-go and the reflector of kube-rs with their defaults, and typed pods as JSON. */
export function informers(...peer: readonly string[]): Peers {
  return { clientGo: { language: 'go', peer }, kubeRs: { language: 'rust', peer } };
}

/**
 * The priority queue of controller-runtime, the scheduler of kube-rs's controllers and the rate-limiting queue of
 * client-go.
 */
export function queues(mode: 'cycle' | 'delayed' | 'fill', ...flags: readonly string[]): Peers {
  const peer = [`-mode=${mode}`, ...flags, 'queue'];
  return {
    controllerRuntime: { language: 'go', peer },
    kubeRs: { language: 'rust', peer },
    clientGo: { language: 'go', peer: [`-mode=plain-${mode}`, ...flags, 'queue'] },
  };
}

/** The same queues in Go: the scheduler of kube-rs has no workers. */
export function queuesWithWorkers(...flags: readonly string[]): Peers {
  return {
    controllerRuntime: { language: 'go', peer: ['-mode=workers', ...flags, 'queue'] },
    clientGo: { language: 'go', peer: ['-mode=plain-workers', ...flags, 'queue'] },
  };
}
