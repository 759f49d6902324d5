import type { KubernetesObject } from '@keelson/apimachinery';
import type { JsonObject } from '@keelson/structural-schema';
import { applyConfiguration } from '../apply/apply-configuration.ts';
import { timestamp } from '../schema/clock.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import type { ApiObject } from '../storage/api-object.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { ObjectWriter } from '../verbs/writes/object-writer.ts';
import { resetRulesOf } from '../verbs/writes/ownership.ts';

/** The status that a controller of the server applies, and the manager that owns its fields then. */
export interface AppliedStatus {
  readonly object: StoredObject;
  readonly status: JsonObject;
  readonly manager: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Applies the status of an object with force, as a controller with a manager of its own does. */
export function applyStatus(
  writer: ObjectWriter,
  resource: ServedResource,
  { object: { key, metadata }, status, manager, now }: AppliedStatus,
): void {
  const { apiVersion, facts } = resource;
  const applied = { apiVersion, kind: facts.kind, metadata: { name: metadata.name }, status };
  writer.update(resource, {
    key,
    scope: 'status',
    options: { dryRun: false, fieldManager: undefined },
    next: (live) => {
      const object = applyConfiguration({
        type: resource.schema.type,
        live,
        applied: applied as KubernetesObject,
        manager,
        force: true,
        subresource: 'status',
        ...resetRulesOf(resource),
        apiVersion,
        now: timestamp(now),
      });
      resource.schema.decode(object);
      return object as ApiObject;
    },
  });
}
