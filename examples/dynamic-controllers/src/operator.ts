import {
  createManager,
  generationChanged,
  isDeleting,
  type Manager,
  type ManagerOptions,
} from '@keelson/manager';
import { loadedCondition } from './loaded-condition.ts';
import { Engine } from './engine.ts';
import { Recipe } from './custom-resource.ts';

/** A manager whose controllers are defined by Recipes. */
export function createOperator(options: ManagerOptions): Manager {
  const manager = createManager(options);
  addControllers(manager);
  return manager;
}

// #region operator
/** Adds the controller that loads and unloads others. */
export function addControllers(manager: Manager): void {
  const engine = new Engine(manager);
  manager.addController({
    name: 'recipe',
    for: { resource: Recipe, predicates: [generationChanged] },
    async reconcile({ name }, { cache, patchStatus }) {
      const recipe = cache.get(Recipe, { name });
      if (recipe === undefined || isDeleting(recipe) || recipe.spec.paused === true) {
        await engine.unload(name);
        if (recipe !== undefined) {
          await patchStatus(Recipe, recipe, { conditions: [loadedCondition([])] });
        }
        return;
      }
      const condition = loadedCondition(await engine.load(recipe));
      await patchStatus(Recipe, recipe, { conditions: [condition] });
      // The health of a watch changes without an event.
      return { requeueAfter: condition.status === 'True' ? '30s' : '1s' };
    },
  });
}
// #endregion
