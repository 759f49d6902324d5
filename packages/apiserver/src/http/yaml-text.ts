import { withExactIntegers } from '../json/yaml-numbers.ts';

/** How a body in YAML calls itself. */
export const yamlType = 'application/yaml';

/** A value in YAML, in the style of kube-apiserver. The library is loaded for those who ask. */
export async function yamlText(value: unknown): Promise<string> {
  const yaml = await import('js-yaml');
  const schema = withExactIntegers(yaml, yaml.DUMP_SCHEMA);
  return yaml.dump(value, { sortKeys: true, schema });
}
