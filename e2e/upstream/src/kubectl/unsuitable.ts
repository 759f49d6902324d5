/** The functions of Kubernetes' `test/cmd` that do not pass on any server here, with the reason. */
export const unsuitable: Readonly<Record<string, string>> = {
  run_convert_tests: 'needs kubectl-convert, which is not built',
  run_multi_resources_tests: 'downloads a file from GitHub',
};
