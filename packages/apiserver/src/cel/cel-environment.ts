import type { Environment } from '@marcbachmann/cel-js';
import type { CelLibrary } from './cel-library.ts';
import { registerListFunctions } from './list-functions.ts';
import { registerQuantityFunctions } from './quantity-functions.ts';
import { registerTextFunctions } from './text-functions.ts';
import { registerUrlFunctions } from './url-functions.ts';

/** An environment with the functions that kube-apiserver adds to CEL, as far as they are here. */
export function celEnvironment(library: CelLibrary): Environment {
  const environment = new library.Environment({
    enableOptionalTypes: true,
    // Rules written by people fit into the library's own limits many times over; kube-apiserver's are larger.
    limits: { maxListElements: 10_000, maxMapEntries: 10_000 },
  });
  registerListFunctions(environment);
  registerTextFunctions(environment, library);
  registerQuantityFunctions(environment, library);
  registerUrlFunctions(environment, library);
  return environment;
}
