import { jsonEquals } from '@keelson/structural-schema';
import type { CustomResourceDefinition } from '../kind/single-kind.ts';
import { checkDefinitions } from './check-definitions.ts';
import { compareSchemas } from './compare-schemas.ts';
import { compareVersion, schemaOf, type CrdVersion } from './compare-version.ts';
import { loses, surprises, type CrdChange } from './crd-change.ts';

type Spec = CustomResourceDefinition['spec'];

/**
 * Lists the changes between two states of a CRD that break stored objects or clients; empty if none does. Changes that
 * only accept more, such as a new optional field, are not listed. A rule or a pattern that differs counts as stricter,
 * since their meaning is not compared. Throws `INVALID_OPTION` for two CRDs of different names, which are two kinds, and
 * `SCHEMA_INVALID` for a schema that no API server accepts.
 */
export function compareCrds(
  before: CustomResourceDefinition,
  after: CustomResourceDefinition,
): readonly CrdChange[] {
  checkDefinitions(before, after);
  return [
    ...identityChanges(before.spec, after.spec),
    ...nameChanges(before.spec, after.spec),
    ...before.spec.versions.flatMap((version) => versionChanges(version, before, after)),
    ...storageChanges(before.spec, after.spec),
  ];
}

function identityChanges(before: Spec, after: Spec): CrdChange[] {
  const members = [
    ['scope', before.scope, after.scope],
    ['names.kind', before.names.kind, after.names.kind],
  ] as const;
  const cure = 'keep it; the server refuses the change, so that it needs a new CRD and a migration';
  return members
    .filter(([, one, other]) => one !== other)
    .map(([path, one, other]) => ({
      path,
      reason: `changed from ${one} to ${other}`,
      breaks: ['objects', 'clients'],
      cure,
    }));
}

function nameChanges({ names: before }: Spec, { names: after }: Spec): CrdChange[] {
  const removed = (['shortNames', 'categories'] as const).flatMap((list) =>
    (before[list] ?? [])
      .filter((name) => after[list]?.includes(name) !== true)
      .map((name) => ({ path: `names.${list}`, reason: `removed: ${name}`, ...surprises })),
  );
  const [old, current] = [withDefaults(before), withDefaults(after)];
  const changed = (['singular', 'listKind'] as const)
    .filter((name) => old[name] !== current[name])
    .map((name) => {
      const reason = `changed from ${old[name]} to ${current[name]}`;
      return { path: `names.${name}`, reason, ...surprises };
    });
  return [...removed, ...changed];
}

/** The server sets missing names, so that a file may lack what the definition in a cluster has. */
function withDefaults({ kind, singular, listKind }: Spec['names']): Record<string, string> {
  return { singular: singular ?? kind.toLowerCase(), listKind: listKind ?? `${kind}List` };
}

function versionChanges(
  version: CrdVersion,
  { spec, status }: CustomResourceDefinition,
  { spec: afterSpec }: CustomResourceDefinition,
): CrdChange[] {
  const { name } = version;
  const after = afterSpec.versions.find((each) => each.name === name);
  if (after !== undefined) return compareVersion(version, after);
  const stored = status?.storedVersions ?? (version.storage ? [name] : []);
  const removal = { version: name, path: `versions[${name}]` };
  const isOnly = spec.versions.length === 1;
  if (stored.includes(name)) {
    const cure = `${isOnly ? 'keep the version; ' : ''}write every object in another storage version and remove this one from status.storedVersions first`;
    return [
      {
        ...removal,
        reason: 'removed, but objects are stored in it',
        breaks: ['objects', 'clients'],
        cure,
      },
    ];
  }
  return version.served ? [{ ...removal, reason: 'removed', ...surprises }] : [];
}

/** Without a webhook the server reads objects of the old storage version by the schema of the new one. */
function storageChanges(before: Spec, after: Spec): CrdChange[] {
  const changes: CrdChange[] = [];
  const [old, current] = [storageOf(before), storageOf(after)];
  const strategy = after.conversion?.strategy ?? 'None';
  if (before.conversion?.strategy === 'Webhook' && strategy === 'None') {
    const schemas = after.versions.map(schemaOf);
    if (schemas.some((schema) => !jsonEquals(schema, schemas[0]))) {
      const reason = 'objects are no longer converted, although the schemas of the versions differ';
      changes.push({ path: 'conversion', reason, ...loses });
    }
  }
  const isMoved = old !== undefined && current !== undefined && old.name !== current.name;
  if (!isMoved || strategy !== 'None') return changes;
  const found = compareSchemas(schemaOf(old), schemaOf(current));
  const broken = found.filter(({ breaks }) => breaks.includes('objects'));
  const reason = (text: string): string => `${text}, compared with the storage version ${old.name}`;
  return [
    ...changes,
    ...broken.map((change) => ({
      ...change,
      version: current.name,
      reason: reason(change.reason),
    })),
  ];
}

function storageOf({ versions }: Spec): CrdVersion | undefined {
  return versions.find(({ storage }) => storage);
}
