import { createClient, type Cluster } from '@keelson/client';
import { readProject, type Project } from '../project/project.ts';
import { CheckRunner, found, type Check, type CheckRunnerOptions } from './runner/check-runner.ts';
import { kubeconfigCheck, serverCheck, type KubeconfigOptions } from './checks/cluster.ts';
import { conversionsCheck } from './checks/conversions.ts';
import { definitionsCheck } from './checks/definitions.ts';
import { packagesCheck } from './checks/installed-packages.ts';
import { namespaceCheck } from './checks/namespace.ts';
import { permissionsCheck } from './checks/permissions.ts';
import { runtimeCheck } from './checks/runtime.ts';
import { impersonatedCluster } from './impersonated-cluster.ts';

/** The choices of `keelson doctor`. */
export interface ExamineOptions extends CheckRunnerOptions, KubeconfigOptions {
  /** The folder of the project. */
  readonly folder: string;
  /** The user whose permissions are checked. Default: the user of the kubeconfig. */
  readonly as: string | undefined;
  /** The namespaces of a limited operator. Default: `watchNamespaces` of the project. */
  readonly namespaces: readonly string[] | undefined;
  readonly versions: Readonly<Record<string, string | undefined>>;
}

const SERVER_CHECKS = ['definitions', 'conversions', 'permissions', 'namespace'];

/** Checks the runtime, a project and a cluster, and reports each result. */
export async function examine(options: ExamineOptions): Promise<void> {
  const runner = new CheckRunner(options);
  await runner.run(runtimeCheck(options.versions));
  const project = await runner.run(projectCheck(options.folder));
  if (project === undefined) runner.skip('packages', 'project');
  else await runner.run(packagesCheck(project.folder));
  const cluster = await runner.run(kubeconfigCheck(options, options.timeout));
  if (cluster !== undefined) return examineCluster(runner, { ...options, cluster, project });
  for (const name of ['server', ...SERVER_CHECKS]) runner.skip(name, 'kubeconfig');
}

function projectCheck(folder: string): Check<Project> {
  return {
    name: 'project',
    cure: 'correct package.json, or name the folder of the project: --project FOLDER',
    run: async () => {
      const value = await readProject(folder);
      return { ...found('ok', `${value.name} ${value.version}`), value };
    },
  };
}

interface ClusterExamination extends Pick<ExamineOptions, 'as' | 'namespaces'> {
  readonly cluster: Cluster;
  readonly project: Project | undefined;
}

async function examineCluster(
  runner: CheckRunner,
  { cluster, project, as, namespaces }: ClusterExamination,
): Promise<void> {
  await using client = createClient({ cluster });
  const isReached = await runner.run(serverCheck(client, cluster));
  const missing = project === undefined ? 'project' : isReached ? undefined : 'server';
  if (missing !== undefined || project === undefined) {
    for (const name of SERVER_CHECKS) runner.skip(name, missing ?? 'project');
    return;
  }
  await runner.run(definitionsCheck(client, project));
  await runner.run(conversionsCheck(client, project));
  const user = as ?? 'the current user';
  await using reviewer = createClient({
    cluster: as === undefined ? cluster : impersonatedCluster(cluster, as),
  });
  await runner.run(
    permissionsCheck(reviewer, project, {
      user,
      namespaces: namespaces ?? project.watchNamespaces,
    }),
  );
  await runner.run(namespaceCheck(client, project.namespace));
}
