/** How a body in YAML calls itself. */
export const yamlType = 'application/yaml';

/** A value in YAML, in the style of kube-apiserver. The library is loaded for those who ask. */
export async function yamlText(value: unknown): Promise<string> {
  const { dump } = await import('js-yaml');
  return dump(value, { sortKeys: true });
}
