import { builtin, defineIndex, generationChanged, hasCode, isDeleting } from '@keelson/manager';
import type { Controller, DynamicWatch, Request } from '@keelson/manager';
import type { CacheReader } from '@keelson/manager/cache';
import { deploymentFor } from './desired-objects.ts';
import { Shop, themeLabel } from './shop.ts';
import type { OperatorContext } from './operator-context.ts';

const shopsByTheme = defineIndex(Shop, 'theme', ({ spec }) => [spec.theme]);

/** Keeps a Deployment for each Shop, in the colour of its theme while themes are watched. */
export class DeploymentController {
  readonly controller: Controller;
  readonly #context: OperatorContext;
  #themes: DynamicWatch | undefined;

  constructor(context: OperatorContext) {
    this.#context = context;
    const { manager, namespace, onReconcile } = context;
    this.controller = manager.addController({
      name: 'deployment',
      for: { resource: Shop, namespace, indexers: [shopsByTheme], predicates: [generationChanged] },
      owns: [{ resource: builtin.Deployment, namespace }],
      concurrency: 8,
      reconcile: async (request, { cache, causes, client, signal }) => {
        onReconcile('deployment', causes);
        const shop = cache.get(Shop, request);
        if (shop === undefined || isDeleting(shop)) return;
        const deployment = deploymentFor(shop, this.#colour(cache, shop.spec.theme));
        await client.apply(builtin.Deployment, deployment, { signal });
      },
    });
  }

  /** From now on a change of a theme's ConfigMap repaints its shops. */
  watchThemes(): DynamicWatch {
    this.#themes = this.controller.watch({
      resource: builtin.ConfigMap,
      namespace: this.#context.namespace,
      labelSelector: themeLabel,
      map: ({ metadata }) => this.#shopsOf(metadata.labels?.[themeLabel]),
    });
    return this.#themes;
  }

  /** Resolves when the watch is removed: no handler, request or reconcile of it is left. */
  async forgetThemes(): Promise<void> {
    const themes = this.#themes;
    this.#themes = undefined;
    await themes?.remove();
  }

  #colour(cache: CacheReader, theme: string): string | undefined {
    if (this.#themes === undefined) return undefined;
    const { namespace } = this.#context;
    const labelSelector = `${themeLabel}=${theme}`;
    try {
      const [look] = cache.list(builtin.ConfigMap, { namespace, labelSelector });
      return look?.data?.['colour'];
    } catch (error) {
      // When the watch has synced, its objects arrive as events and cause another run.
      if (hasCode(error, 'NOT_SYNCED')) return undefined;
      throw error;
    }
  }

  #shopsOf(theme = ''): Request[] {
    const { manager, namespace } = this.#context;
    return manager.cache.namesBy(shopsByTheme, theme, { namespace });
  }
}
