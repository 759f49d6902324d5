import { defineConfig } from 'vitest/config';

const conditions = ['@keelson/source', 'node'];

export default defineConfig({
  // The sources of the workspace instead of what was built from them.
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: { include: ['src/**/*.vitest.ts'] },
});
