/** The extension of a kubeconfig with which caches freeze their objects, so that a program that changes one notices. */
export const developmentExtension = { name: 'keelson.dev/development', extension: {} } as const;
