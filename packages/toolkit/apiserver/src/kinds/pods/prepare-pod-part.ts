import type { JsonObject, JsonValue } from '@keelson/structural-schema';
import { ensureObject, objectAt, objectsAt } from '../../json/json-members.ts';

/** Metadata that a write of a subresource cannot change. */
const keptMetadata = [
  'annotations',
  'deletionTimestamp',
  'finalizers',
  'generation',
  'labels',
  'ownerReferences',
];

/** Reverts everything of a pod but its ephemeral containers. */
export function keepAllButEphemeral(pod: JsonObject, old: JsonObject): void {
  keepSpec(pod, old, { ephemeralContainers: objectAt(pod, 'spec').ephemeralContainers });
}

/**
 * Reverts everything of a pod but its resources and those of its containers. Containers that were added, removed or renamed
 * stay, and are refused later.
 */
export function keepAllButResources(pod: JsonObject, old: JsonObject): void {
  const [spec, before] = [objectAt(pod, 'spec'), objectAt(old, 'spec')];
  const lists = ['containers', 'initContainers'] as const;
  if (lists.some((list) => objectsAt(spec, list).length !== objectsAt(before, list).length)) return;
  const [containers, initContainers] = lists.map((list) =>
    before[list] === undefined
      ? undefined
      : withResources(objectsAt(spec, list), objectsAt(before, list)),
  );
  keepSpec(pod, old, { containers, initContainers, resources: spec.resources });
}

/** Takes the old spec with the new values of some members. */
function keepSpec(
  pod: JsonObject,
  old: JsonObject,
  members: Readonly<Record<string, JsonValue | undefined>>,
): void {
  const spec: JsonObject = structuredClone(objectAt(old, 'spec'));
  assign(spec, members);
  pod.spec = spec;
  const before = objectAt(old, 'metadata');
  const kept = Object.fromEntries(keptMetadata.map((name) => [name, before[name]]));
  assign(ensureObject(pod, 'metadata'), kept);
}

function assign(
  target: JsonObject,
  members: Readonly<Record<string, JsonValue | undefined>>,
): void {
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined) delete target[name];
    else target[name] = value;
  }
}

function withResources(next: JsonObject[], before: readonly JsonObject[]): JsonObject[] {
  if (next.some(({ name }, index) => name !== before[index]?.name)) return next;
  return before.map((container, index) => {
    const kept = structuredClone(container);
    const { resources, resizePolicy } = next[index] ?? {};
    assign(kept, { resources, resizePolicy });
    return kept;
  });
}
