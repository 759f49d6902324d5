import type { Programs } from './programs.ts';

/** Says aloud what cannot be shown on this machine. */
export function sayWhatIsMissing({ peers, assets }: Programs): void {
  if (peers === undefined) {
    console.error('!!! SKIPPED: no Go on this machine, so no client-go to run');
  } else if (assets === undefined) {
    console.error(
      '!!! SKIPPED: no kube-apiserver to compare with; build one with "npm run e2e:binaries" or set KUBEBUILDER_ASSETS',
    );
  }
}
