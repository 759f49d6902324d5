interface Cause {
  readonly reason?: string;
  readonly field?: string;
  readonly message?: string;
}

/**
 * Returns a Status with sorted causes, also in its message. kube-apiserver walks a Go map for the properties of a
 * custom resource, the managers of a conflict, the data of a ConfigMap, labels and annotations, so that the order of
 * their errors changes from request to request.
 */
export function withSortedCauses(
  status: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { details, message } = status;
  if (typeof message !== 'string' || !hasRandomOrder(details)) return status;
  const causes = details.causes.toSorted((a, b) => (lineOf(a) < lineOf(b) ? -1 : 1));
  const list = listOf(details.causes);
  return {
    ...status,
    details: { ...details, causes },
    message: message.endsWith(list)
      ? `${message.slice(0, -list.length)}${listOf(causes)}`
      : message,
  };
}

function hasRandomOrder(details: unknown): details is { causes: Cause[] } {
  if (typeof details !== 'object' || details === null) return false;
  const { group, causes } = details as { group?: unknown; causes?: unknown };
  const isCustom = typeof group === 'string' && group.includes('.') && !group.endsWith('.k8s.io');
  return Array.isArray(causes) && (isCustom || causes.every(isConflict) || causes.some(isInMap));
}

/** The field of an entry of a map: `data[key]`, `metadata.labels`. */
const mapField = /\[[^\]]*[^\]\d][^\]]*\]|^metadata\.(?:labels|annotations)\b/;

function isInMap(cause: Cause): boolean {
  return mapField.test(cause.field ?? '');
}

function isConflict(cause: unknown): boolean {
  return (
    typeof cause === 'object' &&
    cause !== null &&
    'reason' in cause &&
    cause.reason === 'FieldManagerConflict'
  );
}

/** Joins several errors as kube-apiserver does in a message, without duplicates. */
function listOf(causes: readonly Cause[]): string {
  return `[${[...new Set(causes.map(lineOf))].join(', ')}]`;
}

function lineOf({ field, message }: Cause): string {
  return `${field}: ${message}`;
}
