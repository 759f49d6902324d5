interface Cause {
  readonly reason?: string;
  readonly field?: string;
  readonly message?: string;
}

/**
 * A Status with its causes in the order of their texts, in the message too, where kube-apiserver walks a map of Go and
 * the order changes from request to request: the properties of a custom resource, the managers of a conflict.
 */
export function withSortedCauses(
  status: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { details, message } = status;
  if (typeof message !== 'string' || !hasRandomOrder(details)) return status;
  const causes = details.causes.toSorted((a, b) => (lineOf(a) < lineOf(b) ? -1 : 1));
  const told = listOf(details.causes);
  return {
    ...status,
    details: { ...details, causes },
    message: message.endsWith(told)
      ? `${message.slice(0, -told.length)}${listOf(causes)}`
      : message,
  };
}

function hasRandomOrder(details: unknown): details is { causes: Cause[] } {
  if (typeof details !== 'object' || details === null) return false;
  const { group, causes } = details as { group?: unknown; causes?: unknown };
  const isCustom = typeof group === 'string' && group.includes('.') && !group.endsWith('.k8s.io');
  return Array.isArray(causes) && (isCustom || causes.every(isConflict));
}

function isConflict(cause: unknown): boolean {
  return (
    typeof cause === 'object' &&
    cause !== null &&
    'reason' in cause &&
    cause.reason === 'FieldManagerConflict'
  );
}

/** As a message tells several errors, each once. */
function listOf(causes: readonly Cause[]): string {
  return `[${[...new Set(causes.map(lineOf))].join(', ')}]`;
}

function lineOf({ field, message }: Cause): string {
  return `${field}: ${message}`;
}
