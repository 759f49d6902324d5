/** A mutation that cannot be evaluated, with the words of kube-apiserver. */
export class MutationError extends Error {
  override readonly name = 'MutationError';
}
