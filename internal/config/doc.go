// Package config reads helix's settings: the user's and the project's
// config.yaml, the environment, and their defaults, in that order of strength
// from weakest to strongest: default, user file, project file, environment, flag.
package config
