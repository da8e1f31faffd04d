# Many short processes, hooks, a pager and locks.
export GIT_AUTHOR_DATE='2020-01-01T00:00:00Z' GIT_COMMITTER_DATE='2020-01-01T00:00:00Z'
export GIT_CONFIG_NOSYSTEM=1
git init -q -b main here && cd here
git config user.name Somebody && git config user.email somebody@example.org
printf '#!/bin/sh\necho "a hook with $#"\n' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit
for number in 1 2 3 4 5; do
    echo "$number" > "file$number"
    git add . && git commit -q -m "Add $number" 2>&1
done
git log --oneline | cat
git clone -q . ../there 2>&1 && cd ../there && git gc -q && git fsck --no-progress
git log -p -1 | grep -c '^+'
git checkout missing 2>&1
echo "status $?"
echo ok
