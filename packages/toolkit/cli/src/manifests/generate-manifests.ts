import type { Project } from '../project/project.ts';
import { chartFiles } from './chart/chart-files.ts';
import { kustomizeFiles } from './kustomize/kustomize-files.ts';
import { operatorObjects } from './objects/operator-objects.ts';
import { partsOf } from './objects/operator-parts.ts';
import type { OperatorSources } from './operator/operator-sources.ts';
import { operatorOf } from './operator/operator.ts';
import type { GeneratedFile } from '../output/output-folder.ts';

/** Generates the Kustomize files and the chart of an operator. Throws `MANIFEST_CONFLICT`. */
export function generateManifests(
  project: Project,
  sources: OperatorSources,
): readonly GeneratedFile[] {
  const operator = operatorOf(project);
  const parts = partsOf(operator);
  const groups = operatorObjects(parts, sources);
  return [...kustomizeFiles(operator, groups), ...chartFiles(parts, groups)];
}
