import {
  asJson,
  expressionWarnings,
  type JsonObject,
  type JsonSchema,
  type PolicyKind,
  policyObjectType,
  type ValidatingPolicyExpressions,
} from '@keelson/structural-schema';
import { dynType } from '@keelson/cel/internal';
import { goKind } from '../apply/go-names.ts';
import { objectAt, objectsAt, textsAt } from '../json/json-members.ts';
import type { ResourceRegistry } from '../resources/resource-registry.ts';
import { byCodeUnit } from '../storage/sorted-keys.ts';
import type { ResourceStore } from '../storage/resource-store.ts';
import type { Change } from '../storage/revision-log.ts';
import type { Storage } from '../storage/storage.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { BackgroundWork } from './background-work.ts';

/** Most kinds that the rules of a policy are checked for. */
const MAX_KINDS = 10;

/** Names a kind. */
export interface SchemaKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface PolicyStatusContext {
  readonly storage: Storage;
  readonly registry: ResourceRegistry;
  readonly work: BackgroundWork;
  /** The store of ValidatingAdmissionPolicies. */
  readonly policies: ResourceStore;
  /** Returns the schema of a kind without references; `undefined` for a kind that the server does not describe. */
  schemaOf(kind: SchemaKind): JsonSchema | undefined;
  /** Applies the status of a policy. */
  applyStatus(policy: StoredObject, status: JsonObject): void;
}

/**
 * Checks the types of the expressions of each new or changed ValidatingAdmissionPolicy and writes the warnings into its
 * status, as `validatingadmissionpolicy-status-controller` of kube-controller-manager does.
 */
export class PolicyStatus {
  readonly #context: PolicyStatusContext;
  readonly #stop: () => void;

  constructor(context: PolicyStatusContext) {
    this.#context = context;
    this.#stop = context.storage.onChange((store, change) => this.#changed(store, change));
  }

  close(): void {
    this.#stop();
  }

  #changed(store: ResourceStore, { type, object }: Change): void {
    if (store !== this.#context.policies || type === 'DELETED') return;
    this.#context.work.add(`check policy ${object.key}`, () => this.#check(object.key));
  }

  #check(key: string): void {
    const stored = this.#context.policies.get(key);
    if (stored === undefined) return;
    const policy = asJson(stored.parse());
    const { observedGeneration = 0 } = objectAt(policy, 'status');
    const { generation = 0 } = stored.metadata;
    if (generation <= Number(observedGeneration)) return;
    const warnings = this.#warningsOf(objectAt(policy, 'spec'));
    this.#context.applyStatus(stored, {
      observedGeneration: generation,
      typeChecking:
        warnings.length === 0
          ? {}
          : { expressionWarnings: warnings.map((warning): JsonObject => ({ ...warning })) },
    });
  }

  #warningsOf(spec: JsonObject): ReturnType<typeof expressionWarnings> {
    const kinds = this.#kindsOf(spec).flatMap((kind) => this.#typed(kind));
    const { paramKind } = spec as ValidatingPolicyExpressions;
    const params = paramKind && this.#typed(kindOf(paramKind))[0]?.type;
    return expressionWarnings(spec, kinds, params ?? dynType);
  }

  #typed(kind: SchemaKind): PolicyKind[] {
    const schema = this.#context.schemaOf(kind);
    if (schema === undefined) return [];
    const { group, version } = kind;
    const apiVersion = group === '' ? version : `${group}/${version}`;
    return [{ name: goKind(apiVersion, kind.kind), type: policyObjectType(kind.kind, schema) }];
  }

  /** The kinds of the rules without wildcards and subresources, in alphabetical order. */
  #kindsOf(spec: JsonObject): SchemaKind[] {
    const found = new Map<string, SchemaKind>();
    for (const rule of objectsAt(objectAt(spec, 'matchConstraints'), 'resourceRules')) {
      const kinds = this.#kindsOfRule(rule).slice(0, MAX_KINDS);
      for (const kind of kinds) found.set(`${kind.group}\n${kind.version}\n${kind.kind}`, kind);
      if (kinds.length === MAX_KINDS) break;
    }
    return [...found].toSorted(([one], [other]) => byCodeUnit(one, other)).map(([, kind]) => kind);
  }

  #kindsOfRule(rule: JsonObject): SchemaKind[] {
    const [groups, versions] = ['apiGroups', 'apiVersions'].map((member) => {
      const given = textsAt(rule, member).toSorted(byCodeUnit);
      return given.some((each) => each.includes('*')) ? [] : given;
    });
    const resources = textsAt(rule, 'resources')
      .filter((each) => !/[*/]/.test(each))
      .toSorted(byCodeUnit);
    return (groups ?? []).flatMap((group) =>
      (versions ?? []).flatMap((version) =>
        resources.flatMap((plural) => this.#kindsOfResource(group, version, plural)),
      ),
    );
  }

  #kindsOfResource(group: string, version: string, plural: string): SchemaKind[] {
    const resource = this.#context.registry.find({ group, version, plural });
    return resource === undefined ? [] : [{ group, version, kind: resource.facts.kind }];
  }
}

function kindOf({ apiVersion, kind }: { apiVersion: string; kind: string }): SchemaKind {
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  return { group, version, kind };
}
