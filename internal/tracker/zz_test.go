package tracker
import ("testing";"time";"context";"os")
func BenchmarkLoad(b *testing.B){
 dir:=os.Getenv("QDIR")
 for b.Loop(){
  q,err:=OpenStore(dir).Load(context.Background()); if err!=nil{b.Fatal(err)}
  b.ReportMetric(float64(q.Len()),"rows")
 }
}
func BenchmarkReady(b *testing.B){
 dir:=os.Getenv("QDIR")
 for b.Loop(){
  q,err:=OpenStore(dir).Load(context.Background()); if err!=nil{b.Fatal(err)}
  r:=q.ReadyJSON(time.Now(),false)
  b.ReportMetric(float64(len(r)),"ready")
 }
}
