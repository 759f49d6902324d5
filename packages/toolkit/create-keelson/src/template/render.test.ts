import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { load, loadAll } from 'js-yaml';
import { checkChoices } from '../choices/check-choices.ts';
import { pluralOf } from '../choices/choices.ts';
import { render, type ProjectNames } from './render.ts';
import { readTemplate } from './template.ts';
import { variants, type Variant } from './variant.ts';

const label = fc.stringMatching(/^[a-z]([a-z0-9-]{0,8}[a-z0-9])?$/);
const kind = fc.oneof(
  fc.stringMatching(/^[A-Z][A-Za-z0-9]{0,20}$/),
  fc.constantFrom('WebsiteX', 'XWebsite', 'Websites', 'WEBSITE', 'WebsiteList', 'A', 'HTTPRoute'),
);
const labels = fc.oneof(label, fc.constantFrom('website', 'websites', 'website-operator', 'shop'));
const group = fc
  .array(fc.oneof(labels, fc.stringMatching(/^[0-9][a-z0-9]{0,4}$/)), {
    minLength: 2,
    maxLength: 4,
  })
  .map((parts) => parts.join('.'));

/** Names that `checkChoices` accepts, those of the template too. */
const names: fc.Arbitrary<ProjectNames> = fc
  .record({ name: labels, group, kind, plural: fc.option(labels, { nil: undefined }) })
  .map((each) => ({ ...each, plural: each.plural ?? pluralOf(each.kind) }))
  .filter((each) => {
    try {
      checkChoices({ ...each, variant: 'plain' });
      return true;
    } catch {
      return false;
    }
  });

const anyVariant = fc.constantFrom(...(Object.keys(variants) as Variant[]));
const runs = { numRuns: Math.ceil(100 * Number(process.env['KEELSON_RUNS'] ?? 1)) };

describe('render', () => {
  test('gives YAML and JSON with exactly the names of the project', () => {
    fc.assert(
      fc.property(names, anyVariant, (each, variant) => {
        const files = render(readTemplate(variant), each, '1.2.3');
        const crd = load(files.get(`config/crd/${each.plural}.${each.group}.yaml`) ?? '');
        const { name, plural } = each;
        expect(crd).toMatchObject({
          metadata: { name: `${plural}.${each.group}` },
          spec: {
            group: each.group,
            names: {
              kind: each.kind,
              listKind: `${each.kind}List`,
              plural,
              singular: each.kind.toLowerCase(),
            },
          },
        });
        const roles = loadAll(files.get('config/role.yaml') ?? '') as Role[];
        expect(roles.map(({ metadata }) => metadata)).toEqual([
          { name },
          { name, namespace: name },
        ]);
        const rules = roles.flatMap((role) => role.rules);
        const resources = [plural, `${plural}/status`];
        for (const resource of resources) {
          expect(rules).toContainEqual(
            expect.objectContaining({ apiGroups: [each.group], resources: [resource] }),
          );
        }
        expect(JSON.parse(files.get('package.json') ?? '')).toMatchObject({
          name,
          devDependencies: { '@keelson/cli': '^1.2.3' },
        });
      }),
      runs,
    );
  });

  test('sorts the rules of a role by group, as keelson rbac does', () => {
    fc.assert(
      fc.property(names, anyVariant, (each, variant) => {
        const files = render(readTemplate(variant), each, '1.2.3');
        for (const { rules } of loadAll(files.get('config/role.yaml') ?? '') as Role[]) {
          const groups = rules.map(({ apiGroups }) => apiGroups.join());
          expect(groups).toEqual(groups.toSorted((one, other) => (one < other ? -1 : 1)));
        }
      }),
      runs,
    );
  });

  test('with the names of the template changes nothing but the versions', () => {
    const same = {
      name: 'website-operator',
      group: 'shop.example',
      kind: 'Website',
      plural: 'websites',
    };
    for (const variant of Object.keys(variants) as Variant[]) {
      expect(render(readTemplate(variant), same, '0.1.0')).toEqual(readTemplate(variant));
    }
  });
});

interface Role {
  readonly metadata: object;
  readonly rules: readonly { readonly apiGroups: readonly string[] }[];
}
