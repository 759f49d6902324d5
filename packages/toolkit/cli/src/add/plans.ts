import { addController } from './controllers/add-controller.ts';
import { addDashboard } from './dashboards/add-dashboard.ts';
import type { ProjectDraft } from './draft/project-draft.ts';
import { addKind, type NewKind } from './kinds/add-kind.ts';
import { newKindSample } from './kinds/kind-code.ts';
import { checkKind } from './kinds/kind-names.ts';
import { projectKind, type ProjectKind } from './kinds/project-kinds.ts';
import { checkSample, sampleSpec } from './kinds/sample-spec.ts';
import { addPolicy } from './policies/add-policy.ts';
import type { Addition } from './run-add.ts';
import { addWebhook } from './webhooks/add-webhook.ts';

/** Plans `keelson add kind`. */
export async function planKind(
  draft: ProjectDraft,
  wanted: NewKind & { readonly controller: boolean },
): Promise<Addition> {
  const { kind, isPresent } = await addKind(draft, wanted);
  const title = `the kind ${kind.kind} of ${kind.group}`;
  const notes = isPresent ? [`The project has ${title}: ${kind.module}`] : [];
  if (!wanted.controller) return { notes, next: [`Describe the spec in ${kind.module}.`] };
  const spec = isPresent ? () => sampleSpec(kind) : () => Promise.resolve(newKindSample);
  const controller = await withController(draft, kind, spec);
  return { ...controller, notes: [...notes, ...controller.notes] };
}

/** Plans `keelson add controller`. */
export async function planController(
  draft: ProjectDraft,
  name: string,
  spec: object | undefined,
): Promise<Addition> {
  checkKind(name);
  const kind = await projectKind(draft.project, name);
  return withController(draft, kind, specOf(kind, spec));
}

/** Plans `keelson add webhook`. */
export async function planWebhook(
  draft: ProjectDraft,
  name: string,
  { mutate = false, spec }: { readonly mutate?: boolean; readonly spec?: object },
): Promise<Addition> {
  checkKind(name);
  const kind = await projectKind(draft.project, name);
  const sort = mutate ? 'defaults' : 'validation';
  const present = await addWebhook(draft, kind, { sort, spec: specOf(kind, spec) });
  if (present !== undefined) return nothingToAdd(`the webhook ${present}`);
  return { notes: [], next: ['Write its rule, and run: npm test'] };
}

/** Plans `keelson add policy`. */
export async function planPolicy(draft: ProjectDraft, name: string): Promise<Addition> {
  checkKind(name);
  const present = await addPolicy(draft, await projectKind(draft.project, name));
  if (present !== undefined) return nothingToAdd(`the policy ${present}`);
  return { notes: [], next: ['Write its rules, and run: npm test'] };
}

/** Plans `keelson add dashboard`. */
export async function planDashboard(
  draft: ProjectDraft,
  name: string,
  controller: string | undefined,
): Promise<Addition> {
  checkKind(name);
  const kind = await projectKind(draft.project, name);
  const present = await addDashboard(draft, kind, controller);
  if (present !== undefined) return nothingToAdd(`the dashboard ${present}`);
  const next =
    'Change it in Grafana, and save its JSON to the file. Manifests contain it: keelson manifests';
  return { notes: [], next: [next] };
}

async function withController(
  draft: ProjectDraft,
  kind: ProjectKind,
  spec: () => Promise<object>,
): Promise<Addition> {
  const present = await addController(draft, kind, spec);
  if (present !== undefined) return nothingToAdd(`a controller for ${kind.kind}: ${present}`);
  const next = 'Describe the spec in its module, write the controller, and run: npm test';
  return { notes: [], next: [next, 'After changes of its requests, run: keelson rbac'] };
}

/** The spec that the caller gave, or one of the schema; a server in memory has accepted either. */
function specOf(kind: ProjectKind, given: object | undefined): () => Promise<object> {
  return async () => {
    if (given === undefined) return sampleSpec(kind);
    await checkSample(kind, given);
    return given;
  };
}

function nothingToAdd(what: string): Addition {
  return { notes: [`Nothing to add: the project has ${what}`], next: [] };
}
