import { compareTexts, compareVerbs, type Permission, type PolicyRule } from './permission.ts';

type Granted = Pick<Permission, 'verb' | 'group' | 'resource' | 'path' | 'names'>;

/** The part of a rule that is being collected: all members are sets of equal rank. */
interface Draft {
  readonly groups: ReadonlySet<string>;
  readonly resources: ReadonlySet<string>;
  readonly paths: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
  readonly verbs: ReadonlySet<string>;
}

const members = ['groups', 'resources', 'paths', 'names', 'verbs'] as const;

/**
 * Merges permissions of one scope into the fewest rules: first the verbs of a resource, then resources with equal
 * verbs, then groups with equal resources. The order depends only on the permissions.
 */
export function mergeRules(permissions: readonly Granted[]): PolicyRule[] {
  const named = mergeOver('names', widest(permissions).map(draftOf));
  return (['verbs', 'resources', 'paths', 'groups'] as const)
    .reduce((drafts, member) => mergeOver(member, drafts), named)
    .map(ruleOf)
    .toSorted((one, other) => compareTexts(orderOf(one), orderOf(other)));
}

/** Drops permissions with names beside the same permission without names. */
function widest(permissions: readonly Granted[]): readonly Granted[] {
  const keyOf = ({ verb, group, resource, path }: Granted): string =>
    [verb, group, resource, path].join(' ');
  const unlimited = permissions.filter(({ names }) => names === undefined).map(keyOf);
  const wide = new Set(unlimited);
  return permissions.filter((each) => each.names === undefined || !wide.has(keyOf(each)));
}

function draftOf({ verb, group, resource, path, names = [] }: Granted): Draft {
  return {
    groups: new Set(path === '' ? [group] : []),
    resources: new Set(path === '' ? [resource] : []),
    paths: new Set(path === '' ? [] : [path]),
    names: new Set(names),
    verbs: new Set([verb]),
  };
}

/** Unites drafts that differ only in one member. */
function mergeOver(merged: (typeof members)[number], drafts: readonly Draft[]): Draft[] {
  const united = new Map<string, Draft>();
  for (const draft of drafts) {
    const key = JSON.stringify(members.map((member) => keyIn(draft, member, merged)));
    const known = united.get(key);
    united.set(
      key,
      known ? { ...known, [merged]: new Set([...known[merged], ...draft[merged]]) } : draft,
    );
  }
  return [...united.values()];
}

/** Rules with and without names stay apart, and so do paths and resources. */
function keyIn(draft: Draft, member: (typeof members)[number], merged: string): unknown {
  return member === merged ? draft[member].size > 0 : [...draft[member]].toSorted(compareTexts);
}

function ruleOf({ groups, resources, paths, names, verbs }: Draft): PolicyRule {
  const own = [...verbs].toSorted(compareVerbs);
  if (paths.size > 0) return { nonResourceURLs: sorted(paths), verbs: own };
  return {
    apiGroups: sorted(groups),
    resources: sorted(resources),
    ...(names.size > 0 && { resourceNames: sorted(names) }),
    verbs: own,
  };
}

function sorted(values: ReadonlySet<string>): string[] {
  return [...values].toSorted(compareTexts);
}

/** Resources by group and name, then paths. */
function orderOf({
  apiGroups = [],
  resources = [],
  nonResourceURLs = [],
  ...rest
}: PolicyRule): string {
  const kind = nonResourceURLs.length > 0 ? 1 : 0;
  const { resourceNames = [], verbs } = rest;
  const parts = [
    apiGroups.slice(0, 1),
    resources,
    nonResourceURLs,
    resourceNames,
    verbs,
    apiGroups,
  ];
  return [kind, ...parts.map((values) => values.join('\u0001'))].join('\0');
}
