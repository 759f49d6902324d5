import type { ChartSetting } from '../values/chart-settings.ts';
import { jsonHeader, yamlHeader } from '../text/generated-mark.ts';
import { yamlOf } from '../text/manifest-text.ts';

/** The settings of one level of `values.yaml` by their names. */
type SettingTree = ReadonlyMap<string, ChartSetting | SettingTree>;

/** The schema of one level of the values. */
interface ObjectSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, object>>;
  readonly additionalProperties: false;
}

/** Formats `values.yaml`: each setting below its comment. */
export function valuesYaml(settings: readonly ChartSetting[]): string {
  return yamlHeader + linesOf(treeOf(settings)).join('\n') + '\n';
}

/** Formats the JSON schema of the values, with which Helm refuses unknown and invalid settings. */
export function valuesSchema(settings: readonly ChartSetting[]): string {
  const { properties, ...rest } = schemaOf(treeOf(settings));
  const schema = {
    ...jsonHeader,
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...rest,
    // Helm adds `global` to the values of a chart that another one depends on.
    properties: { ...properties, global: { type: 'object' } },
  };
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}

function treeOf(settings: readonly ChartSetting[], depth = 0): SettingTree {
  const names = new Set(settings.map(({ path }) => path.split('.')[depth] ?? ''));
  return new Map(
    [...names].map((name) => {
      const own = settings.filter(({ path }) => path.split('.')[depth] === name);
      const leaf = own.find(({ path }) => path.split('.').length === depth + 1);
      return [name, leaf ?? treeOf(own, depth + 1)];
    }),
  );
}

function linesOf(tree: SettingTree): readonly string[] {
  return [...tree].flatMap(([name, entry]) => {
    if (entry instanceof Map) return [`${name}:`, ...indented(linesOf(entry as SettingTree))];
    const { comment, plain } = entry as ChartSetting;
    return [
      `# ${comment}`,
      ...yamlOf({ [name]: plain })
        .trimEnd()
        .split('\n'),
    ];
  });
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`);
}

function schemaOf(tree: SettingTree): ObjectSchema {
  const entries = [...tree].map(([name, entry]) => {
    if (entry instanceof Map) return [name, schemaOf(entry as SettingTree)] as const;
    const { comment, schema } = entry as ChartSetting;
    return [name, { description: comment, ...schema }] as const;
  });
  return {
    type: 'object',
    properties: Object.fromEntries(entries),
    additionalProperties: false,
  };
}
