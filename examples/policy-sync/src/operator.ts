import {
  builtin,
  createManager,
  defineResource,
  hasCode,
  isDeleting,
  setControllerReference,
  type ApiResource,
  type Controller,
  type DeepReadonly,
  type KubernetesObject,
  type Manager,
  type ManagerOptions,
  type Persisted,
  type ReconcileContext,
} from '@keelson/manager';
import { constraintDefinition } from './custom-resource-definitions.ts';
import { constraintsOf, PolicyTemplate, SyncConfig, type Constraint } from './custom-resources.ts';
import { Violations, type ConstraintRequest } from './violations.ts';

/** A manager that checks objects against policies. */
export function createOperator(options: ManagerOptions, violations?: Violations): Manager {
  const manager = createManager(options);
  addControllers(manager, violations);
  return manager;
}

/** Adds the controllers of templates, of the sync configuration and of all constraints. */
export function addControllers(manager: Manager, violations: Violations = new Violations()): void {
  /** By the plural of the constraints. */
  const templates: Templates = new Map();
  const constraints = addConstraintController(manager, templates, violations);
  addTemplateController(manager, templates, { constraints, violations });
  addSyncController(manager, constraints, violations);
}

type Templates = Map<string, DeepReadonly<Persisted<PolicyTemplate>>>;

/** An object that constraints check. */
type Checked = DeepReadonly<Persisted>;

// #region constraints
/** One controller for the constraints of all kinds: a request names the kind. Its watches change at run time. */
function addConstraintController(
  manager: Manager,
  templates: Templates,
  violations: Violations,
): Controller<ConstraintRequest> {
  return manager.addController<KubernetesObject, undefined, ConstraintRequest>({
    name: 'constraints',
    keyOf: ({ plural, name }) => `${plural}/${name}`,
    async reconcile({ plural, name }, { cache, client, signal }) {
      const template = templates.get(plural);
      const resource = template && constraintsOf(template);
      const constraint = resource && cache.get(resource, { name });
      const key = `${plural}/${name}`;
      if (template === undefined || constraint === undefined || isDeleting(constraint)) {
        violations.forget(key);
        return undefined;
      }
      violations.note(key, { plural, name }, constraint.spec.match);
      if (!violations.hasKinds) return undefined; // the sync controller enqueues every constraint
      for (const [kind, checked] of violations.kinds) {
        const objects = constraint.spec.match.includes(kind) ? objectsOf(cache, checked) : [];
        // A report without the kind would be wrong. A kind without objects has no event when it has synced.
        if (objects === undefined) return { requeueAfter: '1s' };
        const violating = objects.filter((object) => !satisfies(object, template, constraint));
        violations.record(
          kind,
          key,
          violating.map((object) => `${kind} ${keyOf(object.metadata)}`),
        );
      }
      const found = violations.of(key);
      const status = { violations: found.length, objects: found.toSorted().slice(0, 20) };
      await client
        .status(constraintsOf(template))
        .apply({ metadata: { name }, status }, { signal });
      return undefined;
    },
  });
}
// #endregion

// #region templates
/** Installs the kinds of constraints that templates define, and watches them with the controller of constraints. */
function addTemplateController(
  manager: Manager,
  templates: Templates,
  {
    constraints,
    violations,
  }: { readonly constraints: Controller<ConstraintRequest>; readonly violations: Violations },
): void {
  manager.addController({
    name: 'templates',
    for: PolicyTemplate,
    async reconcile({ name }, { cache, client, signal }) {
      const template = cache.get(PolicyTemplate, { name });
      if (template !== undefined && !isDeleting(template)) {
        const definition = setControllerReference(constraintDefinition(template), template);
        await client.apply(builtin.CustomResourceDefinition, definition, { signal });
      }
      const live = cache.list(PolicyTemplate).filter((one) => !isDeleting(one));
      templates.clear();
      for (const one of live) templates.set(one.spec.plural, one);
      // Applies the difference: the watches of other templates stay.
      await constraints.replaceWatches(
        'templates',
        live.map((one) => ({
          resource: constraintsOf(one),
          map: (constraint) => ({ plural: one.spec.plural, name: constraint.name }),
          onWatchRemoved: () => violations.forgetAll(one.spec.plural),
        })),
      );
    },
  });
}
// #endregion

// #region sync
/** Watches the kinds that the sync configurations name, with the controller of constraints. */
function addSyncController(
  manager: Manager,
  constraints: Controller<ConstraintRequest>,
  violations: Violations,
): void {
  const enqueueAll = (): void => {
    for (const request of violations.constraints) constraints.enqueue(request);
  };
  const controller = manager.addController({
    name: 'sync',
    for: SyncConfig,
    async reconcile(_request, { cache }) {
      const configs = cache.list(SyncConfig).filter((config) => !isDeleting(config));
      const named = configs.flatMap(({ spec }) => spec.kinds).map((kind) => defineResource(kind));
      // `match` names no version: of several versions of a kind the first counts.
      const kinds = new Map<string, ApiResource>();
      for (const resource of named) {
        if (!kinds.has(nameOf(resource))) kinds.set(nameOf(resource), resource);
      }
      violations.use(kinds); // readers see the new set at once
      await constraints.replaceWatches(
        'synced',
        [...kinds].map(([kind, resource]) => ({
          resource,
          map: () => violations.matching(kind),
          onWatchRemoved: () => violations.wipe(kind), // once, after the last event of the kind
        })),
      );
      enqueueAll();
    },
  });
  controller.enqueue({ name: 'none' }); // also without a SyncConfig the set of kinds is known
}
// #endregion

/** The name of a kind in `match`: `PLURAL` or `PLURAL.GROUP`. */
function nameOf({ plural, group }: ApiResource): string {
  return group === '' ? plural : `${plural}.${group}`;
}

function keyOf({ namespace, name }: Checked['metadata']): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** True if the object has every key of the constraint where the template requires it. */
function satisfies(
  { metadata }: Checked,
  { spec }: DeepReadonly<PolicyTemplate>,
  constraint: DeepReadonly<Constraint>,
): boolean {
  const present = metadata[spec.requires] ?? {};
  return constraint.spec.keys.every((key) => Object.hasOwn(present, key));
}

/** The objects of a kind; `undefined` until its watch has synced. A kind that is missing or forbidden has none. */
function objectsOf(
  cache: ReconcileContext['cache'],
  resource: ApiResource,
): readonly Checked[] | undefined {
  try {
    return cache.list(resource);
  } catch (error) {
    if (hasCode(error, 'NOT_WATCHED')) return undefined;
    if (!hasCode(error, 'NOT_SYNCED')) throw error;
    return ['parked', 'forbidden'].includes(String(error.facts['state'])) ? [] : undefined;
  }
}
