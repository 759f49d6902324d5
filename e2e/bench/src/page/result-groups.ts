import type { Result } from './results.ts';

/** A case against a kube-apiserver. Its peers in Go connect to it. */
export function isAgainstReal(result: Result): boolean {
  return result.case.startsWith('real.');
}

export function isOfTransport(result: Result): boolean {
  return result.case.startsWith('transport.');
}

/** A case of the webhook server behind a kube-apiserver, beside that of controller-runtime. */
export function isOfWebhook(result: Result): boolean {
  return result.case.startsWith('webhook.');
}

const CURVES = ['growth.', 'fit.', 'collections.'];

/** A point of a curve, which the page shows as a plot. */
export function isOfGrowth(result: Result): boolean {
  return CURVES.some((prefix) => result.case.startsWith(prefix));
}

/** A case of a whole operator, beside one of controller-runtime. */
export function isOfOperator(result: Result): boolean {
  return result.case.startsWith('restart.') || result.case.startsWith('idle.');
}

const QUEUES_WITH_PEERS = ['queue.measured.', 'queue.filled.', 'queue.workers.', 'queue.lateness.'];

/** A case of the queue with every feature, beside the queues of the peers. */
export function isOfQueue(result: Result): boolean {
  return QUEUES_WITH_PEERS.some((prefix) => result.case.startsWith(prefix));
}

/** A case with the peers in Go or Rust against the server with rendered responses. */
export function isOfPeers(result: Result): boolean {
  const hasPeer = result.clientGo !== undefined || result.kubeRs !== undefined;
  return hasPeer && ![isAgainstReal, isOfQueue, isOfGrowth].some((of) => of(result));
}
