import { withExactIntegers } from '../json/yaml-numbers.ts';

/** The media type of a YAML body. */
export const yamlType = 'application/yaml';

/** Formats a value as YAML in the style of kube-apiserver. Loads the library on first use. */
export async function yamlText(value: unknown): Promise<string> {
  const yaml = await import('js-yaml');
  const schema = withExactIntegers(yaml, yaml.DUMP_SCHEMA);
  return yaml.dump(value, { sortKeys: true, schema });
}
