import { builtin, setControllerReference } from '@keelson/manager';
import type { ImageRegistry } from './image-registry.ts';
import type { Phase, Plans, Step } from './plan.ts';

/** The plans of the tour. Their parts are ConfigMaps, so that the example runs on every cluster. */
// #region plans
export function createPlans(registry: ImageRegistry): Plans {
  const pull: Step = { name: 'pull', run: ({ spec }) => registry.pull(spec.version) };
  const prepare: Phase = {
    name: 'prepare',
    strategy: 'parallel',
    steps: [pull, applyStep('credentials'), applyStep('storage')],
  };
  const backup: Phase = { name: 'backup', strategy: 'serial', steps: [pull, applyStep('backup')] };
  const servers: Phase = {
    name: 'servers',
    strategy: 'serial',
    steps: [applyStep('settings'), applyStep('servers')],
  };
  return {
    deploy: { strategy: 'serial', phases: [prepare, servers] },
    upgrade: { strategy: 'serial', phases: [backup, servers] },
    scale: { strategy: 'parallel', phases: [servers] },
  };
}

/** Applies a part for the spec of the plan. A repetition changes nothing. */
function applyStep(part: string): Step {
  return {
    name: part,
    run({ instance, spec, client, signal }) {
      const { namespace, name } = instance.metadata;
      const metadata = { namespace, name: `${name}-${part}` };
      const data = { version: spec.version, replicas: String(spec.replicas) };
      const configMap = setControllerReference({ metadata, data }, instance);
      return client.apply(builtin.ConfigMap, configMap, { signal });
    },
  };
}
// #endregion
