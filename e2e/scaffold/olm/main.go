// The command validates a bundle for the Operator Lifecycle Manager with the validators of operator-sdk.
package main

import (
	"fmt"
	"os"

	"github.com/operator-framework/api/pkg/manifests"
	"github.com/operator-framework/api/pkg/validation"
)

func main() {
	bundle, err := manifests.GetBundleFromDir(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	failed := false
	for _, result := range validation.AllValidators.Validate(bundle.ObjectsToValidate()...) {
		for _, found := range result.Errors {
			failed = true
			fmt.Fprintln(os.Stderr, "error:", result.Name, found.Error())
		}
		for _, found := range result.Warnings {
			fmt.Println("warning:", result.Name, found.Error())
		}
	}
	if failed {
		os.Exit(1)
	}
	fmt.Printf("%s: valid, %d objects\n", bundle.Name, len(bundle.Objects))
}
