#!/bin/sh
# Install the pinned Claude Code CLIs that the tests run against into .claude-cli/ (not under version control).
# The second version shows that a change of version is seen in the stamp.
set -eu

PINNED=2.1.328
OTHER=2.1.329

cd "$(dirname "$0")/.."
for version in "$PINNED" "$OTHER"; do
    folder=".claude-cli/$version"
    [ -x "$folder/node_modules/.bin/claude" ] && continue
    mkdir -p "$folder"
    npm install --silent --no-fund --no-audit --ignore-scripts --prefix "$folder" "@anthropic-ai/claude-code@$version"
    node "$folder/node_modules/@anthropic-ai/claude-code/install.cjs"
done
ln -sfn "$PINNED" .claude-cli/current
.claude-cli/current/node_modules/.bin/claude --version
