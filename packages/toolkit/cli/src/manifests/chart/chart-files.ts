import type { OperatorParts } from '../objects/operator-parts.ts';
import type { ObjectGroup } from '../objects/object-group.ts';
import type { GeneratedFile } from '../../output/output-folder.ts';
import { templateHeader } from '../text/generated-mark.ts';
import { documentsText, templateOf } from '../text/manifest-text.ts';
import { notes } from './notes.ts';
import { valuesSchema, valuesYaml } from './values-files.ts';

/** The Helm chart: its metadata, values with their schema, definitions and templates. */
export function chartFiles(
  parts: OperatorParts,
  groups: readonly ObjectGroup[],
): readonly GeneratedFile[] {
  const { name, version } = parts.operator;
  const chart = {
    apiVersion: 'v2',
    name,
    description: `The Kubernetes operator ${name}`,
    type: 'application',
    version,
    appVersion: version,
  };
  const settings = Object.values(parts.settings);
  const files: readonly GeneratedFile[] = [
    { path: 'Chart.yaml', text: documentsText([chart]) },
    { path: 'values.yaml', text: valuesYaml(settings) },
    { path: 'values.schema.json', text: valuesSchema(settings) },
    ...groups
      .filter(({ location }) => location !== 'kustomize' && location !== 'namespaces')
      .map(groupFile),
    { path: 'templates/NOTES.txt', text: templateHeader + notes(parts.operator) },
  ];
  return files.map(({ path, text }) => ({ path: `chart/${path}`, text }));
}

/** Helm does not read the folder of definitions as templates. */
function groupFile(group: ObjectGroup): GeneratedFile {
  const { name, objects, location, isTemplate = false, condition, each } = group;
  if (location === 'definitions' && !isTemplate)
    return { path: `crds/${name}.yaml`, text: documentsText(objects) };
  const text = objects.map(templateOf).join('---\n');
  if (each !== undefined) {
    const ranged = `{{- range ${each} }}\n---\n${withRoot(text)}{{- end }}\n`;
    return { path: `templates/${name}.yaml`, text: templateHeader + ranged };
  }
  const guarded = condition === undefined ? text : `{{- if ${condition} }}\n${text}{{- end }}\n`;
  return { path: `templates/${name}.yaml`, text: templateHeader + guarded };
}

/** Inside of a range, `.` is the item, and `$` has the values. */
function withRoot(text: string): string {
  return text.replaceAll(/\{\{[^}]*\}\}/g, (action) =>
    action.replaceAll(/(?<=[\s(])\.(?=Values\b|Release\b)/g, '$.'),
  );
}
