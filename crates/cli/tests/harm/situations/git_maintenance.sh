# A repository with branches is packed, checked, cloned, bundled, searched and damaged.
export GIT_AUTHOR_DATE='@1700000000 +0000' GIT_COMMITTER_DATE='@1700000000 +0000' GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=me GIT_AUTHOR_EMAIL=me@here GIT_COMMITTER_NAME=me GIT_COMMITTER_EMAIL=me@here
git init -q -b main one && cd one || exit
git config gc.auto 0; git config maintenance.auto false
for i in $(seq 1 15); do
    seq $i $((i * 80)) > f$((i % 4)); mkdir -p d/$i; echo $i > d/$i/x
    git add -A; git commit -qm "commit $i"
done
git tag -am tag first HEAD~3
git checkout -qb side HEAD~5; echo side > side; git add side; git commit -qm side
git rebase -q main 2>&1; git checkout -q main
git merge -q --no-ff -m merged side; git rev-parse HEAD
git fsck --full --strict 2>&1; git gc -q --prune=now 2>&1; git fsck --full 2>&1
git repack -adq -f --depth=50 --window=50; git verify-pack -v .git/objects/pack/*.idx | grep -c '^chain'
cd .. && git clone -q "file://$PWD/one" two && git clone -q --depth 3 "file://$PWD/one" three &&
    git clone -q --bare one four.git && cd two || exit
git log --stat -p --format=%H%n%s | cksum; git blame f3 | cksum; git grep -n '17$' | cksum
git archive HEAD | cksum; git bundle create -q ../bundle main; git bundle verify -q ../bundle
git format-patch -q -2 -o ../patches; git fast-export --all 2>/dev/null | cksum
git commit-graph write --no-progress; git commit-graph verify --no-progress
git multi-pack-index write --no-progress; git multi-pack-index verify --no-progress
git push -q ../four.git HEAD:refs/heads/new 2>&1; git -C ../four.git log -1 --format=%s new
printf broken > .git/objects/pack/broken.idx; git fsck 2>&1 | sed "s#$PWD##g" | head -3
git cat-file -p no-such-object; echo "status $?"
echo ok
