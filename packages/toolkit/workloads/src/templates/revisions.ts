import { builtin, isAlreadyExists, ownerReferenceTo } from '@keelson/apimachinery';
import { ignoreMissing, type Run } from '../control/control.ts';
import { equalJson } from '../objects/equal-json.ts';
import { compareTexts } from '../objects/counts.ts';
import type { ControllerRevision, DaemonSet, PodTemplate, StatefulSet } from '../objects/kinds.ts';
import { templateHash } from './template-hash.ts';

/** A workload whose templates are kept as ControllerRevisions. */
export type Revised = StatefulSet | DaemonSet;

/** The labels of the ControllerRevisions of each kind with the hash in their names. */
const HASH_LABELS: Readonly<Record<string, string>> = {
  DaemonSet: 'controller-revision-hash',
  StatefulSet: 'controller.kubernetes.io/hash',
};

function hashLabelOf({ kind = '' }: { readonly kind?: string }): string {
  return HASH_LABELS[kind] ?? 'controller.kubernetes.io/hash';
}

/** The hash in the name of a ControllerRevision. */
export function hashOf({ metadata }: ControllerRevision): string {
  return metadata.name.slice(metadata.name.lastIndexOf('-') + 1);
}

/** The revisions of a workload in order, and the collisions of their names. */
export interface History {
  readonly revisions: readonly ControllerRevision[];
  /** The revision of the present template. */
  readonly update: ControllerRevision;
  readonly collisionCount: number;
}

/** Finds the revision of the present template of a workload. Creates it, or makes an older equal one the newest. */
export async function historyOf(workload: Revised, run: Run): Promise<History> {
  const revisions = run.cache
    .owned(builtin.ControllerRevision, workload)
    .toSorted(
      (one, other) =>
        one.revision - other.revision || compareTexts(one.metadata.name, other.metadata.name),
    );
  const collisionCount = workload.status?.collisionCount ?? 0;
  const data = dataOf(workload);
  const latest = revisions.at(-1);
  const equal = revisions.findLast((revision) => equalJson(revision.data, data));
  const next = (latest?.revision ?? 0) + 1;
  if (equal !== undefined && equal === latest) return { revisions, update: equal, collisionCount };
  if (equal !== undefined) {
    const update = await run.client.update(builtin.ControllerRevision, {
      ...equal,
      revision: next,
    });
    return {
      revisions: [...revisions.filter((each) => each !== equal), update],
      update,
      collisionCount,
    };
  }
  const made = await create(workload, { data, revision: next, collisionCount }, run);
  return { ...made, revisions: [...revisions, made.update] };
}

/** The patch that restores a template: what kube-controller-manager stores as the data of a revision. */
function dataOf({ spec }: Revised): object {
  return { spec: { template: { ...spec?.template, $patch: 'replace' } } };
}

async function create(
  workload: Revised,
  { data, revision, collisionCount }: { data: object; revision: number; collisionCount: number },
  run: Run,
): Promise<{ update: ControllerRevision; collisionCount: number }> {
  const { namespace, name, annotations } = workload.metadata;
  for (let collisions = collisionCount; ; collisions += 1) {
    const hash = templateHash(data, collisions);
    try {
      const update = await run.client.create(builtin.ControllerRevision, {
        metadata: {
          namespace,
          name: `${name.slice(0, 223)}-${hash}`,
          labels: { ...workload.spec?.template.metadata?.labels, [hashLabelOf(workload)]: hash },
          ...(annotations !== undefined && { annotations }),
          ownerReferences: [
            ownerReferenceTo(workload, { controller: true, blockOwnerDeletion: true }),
          ],
        },
        data,
        revision,
      });
      return { update, collisionCount: collisions };
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }
}

/** The template of a revision. */
export function templateOf({ data }: ControllerRevision): PodTemplate {
  const { template } = (data as { spec: { template: PodTemplate & { $patch?: string } } }).spec;
  const { $patch: _patch, ...content } = template;
  return content;
}

/** Deletes the oldest revisions that are not in use, beyond the limit of the history. */
export async function truncateHistory(
  workload: Revised,
  { revisions }: History,
  { live, run }: { readonly live: (revision: ControllerRevision) => boolean; readonly run: Run },
): Promise<void> {
  const limit = workload.spec?.revisionHistoryLimit ?? 10;
  const unused = revisions.filter((revision) => !live(revision));
  for (const { metadata } of unused.slice(0, Math.max(0, unused.length - limit)))
    await ignoreMissing(run.client.delete(builtin.ControllerRevision, metadata));
}
