import { posix } from 'node:path';
import { operatorOf } from '../../manifests/operator/operator.ts';
import { grafanaJson } from '../../monitoring/dashboard.ts';
import { kindDashboard } from '../../monitoring/kind-dashboard.ts';
import { controllerNames } from '../controllers/controller-code.ts';
import type { ProjectDraft } from '../draft/project-draft.ts';
import type { ProjectKind } from '../kinds/project-kinds.ts';

/**
 * Adds the Grafana dashboard of a kind to the folder of dashboards. Returns its path if the project has it already, also with
 * changes of a person.
 */
export async function addDashboard(
  draft: ProjectDraft,
  { kind, group, plural }: ProjectKind,
  controller: string = controllerNames({ kind }).name,
): Promise<string | undefined> {
  const path = posix.join(draft.project.dashboards, `${plural}.json`);
  if ((await draft.find(path)) !== undefined) return path;
  const dashboard = kindDashboard({ kind, group, plural, controller });
  const { name } = operatorOf(draft.project);
  await draft.create(path, `${JSON.stringify(grafanaJson(dashboard, name), undefined, 2)}\n`);
  return undefined;
}
