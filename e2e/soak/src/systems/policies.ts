import { definitions } from '@keelson/example-policy-sync/custom-resource-definitions';
import {
  constraintsOf,
  PolicyTemplate,
  SyncConfig,
  type Constraint,
} from '@keelson/example-policy-sync/custom-resources';
import { addControllers } from '@keelson/example-policy-sync/operator';
import {
  builtin,
  isNotFound,
  type ApiResource,
  type Client,
  type Persisted,
} from '@keelson/manager';
import { attempt, deleteAll, oneOf, remaining } from './objects.ts';
import type { System } from './system.ts';

const namespace = 'soak-policies';
const templates = ['Alpha', 'Beta', 'Gamma'].map((name) => ({
  metadata: { name: name.toLowerCase() },
  spec: {
    kind: `Policy${name}`,
    plural: `policy${name.toLowerCase()}s`,
    requires: 'labels' as const,
  },
}));
const { ConfigMap, Lease, Secret } = builtin;
const checked = [ConfigMap, Secret, Lease] as readonly ApiResource[];
const names = ['one', 'two', 'three', 'four'];
const config = { name: 'soak' };

/** `examples/policy-sync`: kinds of policies and checked kinds that come and go. */
export const policySystem: System = {
  name: 'policies',
  definitions,
  addTo: (manager) => addControllers(manager),

  async act(client, random) {
    const [template, kind, name] = [
      oneOf(templates, random),
      oneOf(checked, random),
      oneOf(names, random),
    ];
    const labels: Record<string, string> = random() < 0.5 ? { owner: 'soak' } : {};
    const change = random();
    await attempt(async () => {
      if (change < 0.05) await client.create(PolicyTemplate, template);
      else if (change < 0.07) await client.delete(PolicyTemplate, template.metadata);
      else if (change < 0.2) {
        const match = checked.filter(() => random() < 0.7).map(nameOf);
        const spec = { match, keys: ['owner'] };
        await client.apply(constraintsOf(template), { metadata: { name }, spec });
      } else if (change < 0.25) await client.delete(constraintsOf(template), { name });
      else if (change < 0.35) {
        const kinds = checked
          .filter(() => random() < 0.7)
          .map(({ group, version, kind: of, plural }) => ({ group, version, kind: of, plural }));
        await client.apply(SyncConfig, { metadata: config, spec: { kinds } });
      } else if (change < 0.4) {
        await client.create(builtin.Namespace, { metadata: { name: namespace } });
      } else if (change < 0.8) {
        await client.apply(kind, { metadata: { namespace, name, labels } });
      } else await client.delete(kind, { namespace, name });
    });
  },

  async unsettled(client) {
    const lines: string[] = [];
    const configs = (await client.list(SyncConfig)).items;
    const synced = new Set(configs.flatMap(({ spec }) => spec.kinds.map(nameOf)));
    for (const template of (await client.list(PolicyTemplate)).items) {
      const constraints = await constraintsIn(client, constraintsOf(template));
      if (constraints === undefined) lines.push(`${template.spec.kind} is not served`);
      for (const { metadata, spec, status } of constraints ?? []) {
        const kinds = checked.filter(
          (kind) => synced.has(nameOf(kind)) && spec.match.includes(nameOf(kind)),
        );
        let violations = 0;
        for (const kind of kinds) {
          const { items } = await client.list(kind);
          violations += items.filter(
            (item) => item.metadata.labels?.['owner'] === undefined,
          ).length;
        }
        if (status?.violations !== violations) {
          lines.push(
            `${template.spec.kind} ${metadata.name} has ${status?.violations} of ${violations}`,
          );
        }
      }
    }
    return lines;
  },

  async clear(client) {
    await deleteAll(client, PolicyTemplate);
    await deleteAll(client, SyncConfig);
    await attempt(() => client.delete(builtin.Namespace, { name: namespace }));
  },

  async left(client) {
    const { items } = await client.list(builtin.CustomResourceDefinition);
    const kinds = items.filter(({ spec }) => spec.group === 'constraints.policy.keelson.dev');
    const spaces = (await client.list(builtin.Namespace)).items;
    return [
      ...(await remaining(client, PolicyTemplate)),
      ...(await remaining(client, SyncConfig)),
      ...kinds.map(({ metadata }) => `CustomResourceDefinition ${metadata.name} exists`),
      ...spaces
        .filter(({ metadata }) => metadata.name === namespace)
        .map(({ metadata }) => `Namespace ${metadata.name} exists`),
    ];
  },
};

function nameOf({ group, plural }: { readonly group: string; readonly plural: string }): string {
  return group === '' ? plural : `${plural}.${group}`;
}

/** The constraints of a kind; `undefined` if the kind is not served. */
async function constraintsIn(
  client: Client,
  kind: ApiResource<Constraint>,
): Promise<Persisted<Constraint>[] | undefined> {
  try {
    return (await client.list(kind)).items;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
