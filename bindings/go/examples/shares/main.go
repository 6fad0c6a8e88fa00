// Command shares prints the shares of the README's example: a tree of queues,
// what each wants, and what each is due.
package main

import (
	"context"
	"fmt"
	"log"

	"example.org/sked/bindings/go/sked"
)

const queues = `kinds cpu=m memory=B
root
root.ads weight=3
root.ads.bidding weight=2 guarantee="cpu=20,memory=40GiB"
root.ads.reports
root.ml weight=1 limit=60%
`

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	tree, err := sked.ReadTree(queues, sked.TreeCommitStrict, nil)
	if err != nil {
		return err
	}
	defer tree.Close()
	schema := tree.Schema()
	capacity, err := schema.Vec("cpu=100,memory=400GiB")
	if err != nil {
		return err
	}
	ledger, err := sked.NewLedger(tree, nil, nil)
	if err != nil {
		return err
	}
	defer ledger.Close()
	for path, text := range map[string]string{
		"root.ads.bidding": "cpu=80,memory=100GiB", "root.ads.reports": "cpu=70,memory=50GiB",
		"root.ml": "cpu=90,memory=300GiB",
	} {
		q, err := tree.Find(path)
		if err != nil {
			return err
		}
		demand, err := schema.Vec(text)
		if err != nil {
			return err
		}
		if err = ledger.Set(sked.LedgerDemand, []sked.QueueID{q}, demand); err != nil {
			return err
		}
	}
	shares, err := sked.NewShare(nil, nil)
	if err != nil {
		return err
	}
	defer shares.Close()
	if err = shares.Compute(context.Background(), tree, ledger, capacity); err != nil {
		return err
	}
	ids, err := tree.IDs(nil)
	if err != nil {
		return err
	}
	amounts := make([]int64, tree.Kinds())
	for _, q := range ids {
		path, err := tree.Path(q)
		if err != nil {
			return err
		}
		if amounts, err = shares.Get(q, amounts); err != nil {
			return err
		}
		text, err := schema.Text(amounts)
		if err != nil {
			return err
		}
		fmt.Printf("%-18s %s\n", path, text)
	}
	return nil
}
