import type { KubernetesObject } from '@keelson/apimachinery';
import type { NeededPermissions } from '../permissions/check-roles.ts';
import {
  excessParts,
  missingPermissions,
  type CompareOptions,
} from '../permissions/compare-roles.ts';
import { rolesOf, roleNameOf } from '../permissions/observed-rules.ts';
import {
  isHeld,
  partsOfRole,
  rulesOf,
  type CheckedInRole,
  type Part,
} from '../permissions/role-part.ts';
import { lineOf, titleOf } from '../permissions/rule-line.ts';

/** The Roles and ClusterRoles of a file after an update. */
export interface RolesUpdate {
  /** The roles that were given, in their order, then new ones. A role without a change is the same object. */
  readonly roles: readonly KubernetesObject[];
  /** The rules that were added, each as one line with its role. */
  readonly added: readonly string[];
  /** The rules that were removed, each as one line with its role. */
  readonly removed: readonly string[];
}

/** The recorded checks of one file. `keelson rbac` updates the file with them. */
export class RecordedRoles {
  /** The path of the file that the checks named. */
  readonly file: string;
  readonly #needed: CompareOptions;
  readonly #namespace: string;
  readonly #name: string;

  constructor(file: string, records: readonly NeededPermissions[]) {
    this.file = file;
    this.#needed = {
      permissions: records.flatMap(({ permissions }) => permissions),
      isEverywhere: records.some(({ isEverywhere }) => isEverywhere),
      mayExceed: records.flatMap(({ mayExceed }) => mayExceed),
    };
    const [first] = records;
    this.#namespace = first?.namespace ?? 'default';
    this.#name = roleNameOf(first?.user ?? '');
  }

  /**
   * Removes from Roles and ClusterRoles what no request needed and no check tolerates, and adds what they lack to the first
   * role of the same scope. They keep their names, and limits to the names of objects. Roles that a check would accept do
   * not change.
   */
  update(present: readonly KubernetesObject[]): RolesUpdate {
    const drafts = present.map((role) => this.#draftOf(role));
    const held = drafts.flatMap(({ kept }) => kept);
    const isAccepted =
      missingPermissions(held, this.#needed).length === 0 &&
      drafts.every(({ excess }) => excess.length === 0);
    const { fresh, added } = isAccepted ? { fresh: [], added: [] } : this.#add(drafts, held);
    return {
      roles: [...drafts.map(updatedRole), ...fresh],
      added,
      removed: drafts.flatMap(({ role, excess }) => linesOf(role, excess)),
    };
  }

  #draftOf(given: KubernetesObject): Draft {
    const metadata = { namespace: this.#namespace, ...given.metadata };
    const role: CheckedInRole = given.kind === 'Role' ? { ...given, metadata } : given;
    const excess = excessParts(role, this.#needed);
    const kept = partsOfRole(role).filter((part) => !excess.some((one) => isSame(one, part)));
    return { given, role, excess, kept, more: [] };
  }

  /** Adds the permissions that the kept parts lack; makes new roles for scopes without one. */
  #add(
    drafts: readonly Draft[],
    held: readonly Part[],
  ): { readonly fresh: readonly KubernetesObject[]; readonly added: readonly string[] } {
    const name = drafts[0]?.role.metadata?.name ?? this.#name;
    const lacking = this.#needed.permissions.filter((permission) => !isHeld(permission, held));
    const { clusterRoles, roles } = rolesOf(lacking, name);
    const fresh: KubernetesObject[] = [];
    const added: string[] = [];
    for (const role of [...clusterRoles, ...roles]) {
      const draft = drafts.find((one) => hasScopeOf(one.role, role));
      const parts = partsOfRole(role);
      if (draft === undefined) fresh.push(role);
      else draft.more.push(...parts);
      added.push(...linesOf(draft?.role ?? role, parts));
    }
    return { fresh, added };
  }
}

/** A role while it is updated. */
interface Draft {
  readonly given: KubernetesObject;
  /** The given role with its namespace. */
  readonly role: CheckedInRole;
  readonly excess: readonly Part[];
  readonly kept: readonly Part[];
  readonly more: Part[];
}

function updatedRole({ given, excess, kept, more }: Draft): KubernetesObject {
  if (excess.length === 0 && more.length === 0) return given;
  return { ...given, rules: rulesOf([...kept, ...more]) } as KubernetesObject;
}

function hasScopeOf(one: CheckedInRole, other: CheckedInRole): boolean {
  if (one.kind !== other.kind) return false;
  return one.kind === 'ClusterRole' || one.metadata?.namespace === other.metadata?.namespace;
}

function linesOf(role: CheckedInRole, parts: readonly Part[]): readonly string[] {
  return rulesOf(parts).map((rule) => `${titleOf(role)}: ${lineOf(rule)}`);
}

function isSame(one: Part, other: Part): boolean {
  return (
    one.verb === other.verb &&
    one.group === other.group &&
    one.resource === other.resource &&
    one.path === other.path &&
    one.name === other.name
  );
}
